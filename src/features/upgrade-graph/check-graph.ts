import { compareSemver, type SemanticVersion } from '#apimachinery/cel/library/kubernetes/semver.ts'
import type { CatalogContents } from './catalog/read-catalog.ts'
import { validateCatalog, type CatalogProblem } from './catalog/validate-catalog.ts'
import { catalogRuleFindings } from './checks/catalog-rules.ts'
import { channelGapFindings } from './checks/channel-gaps.ts'
import { requiredStop, type CheckedChannel, type CheckInput, type RequiredStop } from './checks/check-input.ts'
import { circleFindings } from './checks/circles.ts'
import { decreaseFindings } from './checks/decreases.ts'
import { deprecatedHeadFindings } from './checks/deprecated-head.ts'
import { sortFindings, type GraphFinding } from './checks/finding.ts'
import { ignoredPartFindings } from './checks/ignored-parts.ts'
import { longestPathFindings } from './checks/longest-path.ts'
import { ownRangeFindings } from './checks/ranges.ts'
import { redundantEdgeFindings } from './checks/redundant-edges.ts'
import { replacesMissingFindings } from './checks/replaces.ts'
import { requiredStopFindings } from './checks/required-stops.ts'
import { wayFindings } from './checks/ways-to-head.ts'
import { buildGraph, type VersionOrder } from './graph/build-graph.ts'
import type { UpgradeGraph } from './graph/graph.ts'
import { scopeOfCatalog } from './semantics/catalog-steps.ts'
import type { UpgradeScope } from './semantics/scope.ts'
import { scopeOfV0 } from './semantics/v0.ts'
import { anyVersion, scopeOfV1, type ExtensionRules } from './semantics/v1.ts'

/** What a check assumes and demands. */
export interface CheckOptions {
  /** Default: v0. */
  readonly semantics?: 'v0' | 'v1'
  /** For v1. Default: a ClusterExtension that names its package only. */
  readonly rules?: ExtensionRules
  /** Most steps that a way to the head may have. Default: any number. */
  readonly maxHops?: number
  readonly requiredStops?: readonly { readonly text: string; readonly version: SemanticVersion }[]
  /** Order of versions that differs from that of their numbers, by the names of bundles. */
  readonly order?: VersionOrder
}

/** A catalog that was checked. */
export interface CheckedGraph {
  readonly graph: UpgradeGraph
  readonly channels: readonly CheckedChannel[]
  /** Where OLM chooses: each channel, or each package. */
  readonly scopes: readonly UpgradeScope[]
  readonly requiredStops: readonly RequiredStop[]
  readonly findings: readonly GraphFinding[]
  /** True if `opm validate` accepts the catalog. */
  readonly isValid: boolean
}

const checks: readonly ((input: CheckInput) => readonly GraphFinding[])[] = [
  catalogRuleFindings,
  ignoredPartFindings,
  replacesMissingFindings,
  circleFindings,
  wayFindings,
  ownRangeFindings,
  redundantEdgeFindings,
  decreaseFindings,
  requiredStopFindings,
  longestPathFindings,
  deprecatedHeadFindings,
  channelGapFindings,
]

/** Builds the upgrade graph of a catalog, and returns it with all findings. Pure. */
export function checkGraph({ objects, ignored = [], blanks = [] }: CatalogContents, options: CheckOptions = {}): CheckedGraph {
  const { semantics = 'v0', rules = anyVersion, maxHops, order } = options
  const graph = buildGraph(objects, order)
  const channels = graph.packages.flatMap((owner) =>
    owner.channels.map((channel) => ({ owner, channel, all: scopeOfCatalog(owner, channel), v0: scopeOfV0(owner, channel) })),
  )
  const scopes = semantics === 'v0' ? channels.map(({ v0 }) => v0) : graph.packages.map((owner) => scopeOfV1(owner, rules))
  const problems = [...blanks.map(blankProblem), ...validateCatalog(objects)]
  const requiredStops = stopsOf(options, graph)
  const input = { graph, problems, ignored, semantics, channels, scopes, maxHops, requiredStops }
  const findings = sortFindings(checks.flatMap((check) => check(input)))
  return { graph, channels, scopes, requiredStops, findings, isValid: problems.length === 0 }
}

function blankProblem(place: string): CatalogProblem {
  return {
    id: 'invalid-catalog',
    package: '',
    object: `document at ${place}`,
    what: 'it has no content: remove it, or the "---" before or after it',
  }
}

function stopsOf({ requiredStops = [], order }: CheckOptions, { packages }: UpgradeGraph): readonly RequiredStop[] {
  return requiredStops.map(({ text, version }) => {
    if (order === undefined) return requiredStop(text, version, compareSemver)
    const stop = packages.flatMap(({ versions }) => versions).find((one) => one.name === text || one.text === text.replace(/^v/, ''))
    return { text, compare: (other) => (stop === undefined ? 0 : other.rank - stop.rank) }
  })
}
