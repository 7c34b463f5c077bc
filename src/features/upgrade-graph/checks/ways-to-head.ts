import type { GraphVersion } from '../graph/graph.ts'
import { hopsTo, stepCounts } from '../paths/ways.ts'
import type { UpgradeScope } from '../semantics/scope.ts'
import type { CheckInput } from './check-input.ts'
import { findingOf, listed, placeOf, type GraphFinding } from './finding.ts'
import type { CheckId } from './rules.ts'

/**
 * Versions from which no steps lead to the head of their channel. Each one has one finding: a way
 * exists in the catalog and OLM does not take it, it has no step at all, or its steps end
 * elsewhere. Pure.
 */
export function wayFindings({ scopes, channels }: CheckInput): readonly GraphFinding[] {
  return scopes.flatMap((scope) => {
    const all = channels.find(({ owner, channel }) => owner === scope.package && channel.name === scope.channel)?.all
    return strandedIn(scope, all)
  })
}

function strandedIn(scope: UpgradeScope, all: UpgradeScope | undefined): readonly GraphFinding[] {
  const { head, members } = scope
  // Without a head there are other findings, and no version has a way.
  if (head === undefined) return []
  const hops = hopsTo(scope, head)
  const counts = stepCounts(scope)
  const inCatalog = all?.head === undefined ? undefined : hopsTo(all, all.head)
  const kindOf = ({ rank }: GraphVersion): CheckId =>
    inCatalog?.[rank] !== undefined ? 'skipped-bridge' : counts[rank] === 0 ? 'dead-end' : 'unreachable-head'
  const lost = members.filter(({ rank }) => hops[rank] === undefined)
  return [...Map.groupBy(lost, kindOf)].map(([id, versions]) => {
    const names = namesOf(versions)
    return findingOf(id, placeOf(scope), sentences[id]?.(listed(names), head.name) ?? '', names)
  })
}

function namesOf(versions: readonly GraphVersion[]): readonly string[] {
  return versions.toSorted((one, other) => one.rank - other.rank).map(({ name }) => name)
}

const sentences: Partial<Record<CheckId, (names: string, head: string) => string>> = {
  'skipped-bridge': (names, head) => `the only ways from ${names} to ${head} lead over versions that are skipped`,
  'dead-end': (names) => `no step leads away from ${names}`,
  'unreachable-head': (names, head) => `no way leads from ${names} to ${head}`,
}
