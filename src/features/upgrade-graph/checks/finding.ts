import type { UpgradeScope } from '../semantics/scope.ts'
import { checkRules, type CheckId, type GraphSeverity } from './rules.ts'

/** What a check has found. */
export interface GraphFinding {
  readonly id: CheckId
  readonly severity: GraphSeverity
  readonly package: string
  readonly channel?: string
  /** Title of the object, such as `channel "stable" of package "steadyvm"`. */
  readonly object: string
  readonly what: string
  /**
   * Names of the bundles that it is about, from the least version on; empty when it is about the
   * object.
   */
  readonly versions: readonly string[]
  /** Its consequence. */
  readonly why: string
  readonly remedy: string
}

/** Where a finding is. */
export type FindingPlace = Pick<GraphFinding, 'package' | 'channel' | 'object'>

/** Completes a finding by what the rule says. Pure. */
export function findingOf(
  id: CheckId,
  { package: owner, channel, object }: FindingPlace,
  what: string,
  versions: readonly string[] = [],
): GraphFinding {
  return { id, ...checkRules[id], package: owner, ...(channel === undefined ? {} : { channel }), object, what, versions }
}

/** The channel, or the package where OLM does not look at channels. Pure. */
export function placeOf({ package: { name }, channel }: UpgradeScope): FindingPlace {
  return channel === undefined ? { package: name, object: `package "${name}"` } : channelPlace(name, channel)
}

/** The channel of a package. Pure. */
export function channelPlace(owner: string, channel: string): FindingPlace {
  return { package: owner, channel, object: `channel "${channel}" of package "${owner}"` }
}

/** Sorts by severity, then by package, channel and id. Pure. */
export function sortFindings(findings: readonly GraphFinding[]): readonly GraphFinding[] {
  const keyOf = ({ severity, package: owner, channel = '', id, what }: GraphFinding): readonly string[] => [
    severity,
    owner,
    channel,
    id,
    what,
  ]
  return findings.toSorted((one, other) => {
    const [left, right] = [keyOf(one), keyOf(other)]
    const index = left.findIndex((part, at) => part !== right[at])
    return index === -1 ? 0 : (left[index] ?? '') < (right[index] ?? '') ? -1 : 1
  })
}

/** Names the first ones of a list, and counts the others. Pure. */
export function listed(names: readonly string[]): string {
  const shown = names.slice(0, 5)
  return `${shown.join(', ')}${names.length > shown.length ? ` and ${names.length - shown.length} more` : ''}`
}
