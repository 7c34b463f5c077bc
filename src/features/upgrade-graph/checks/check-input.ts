import type { SemanticVersion } from '#apimachinery/cel/library/kubernetes/semver.ts'
import type { CatalogProblem } from '../catalog/validate-catalog.ts'
import type { IgnoredPart } from '../catalog/read-catalog.ts'
import type { ChannelGraph, GraphVersion, PackageGraph, UpgradeGraph } from '../graph/graph.ts'
import type { UpgradeScope } from '../semantics/scope.ts'

/** A version that no upgrade may jump over. */
export interface RequiredStop {
  readonly text: string
  /** Reports whether a version comes before it (negative), is it, or comes after it. */
  readonly compare: (version: GraphVersion) => number
}

/** A required stop by the order of semantic versions. Pure. */
export function requiredStop(
  text: string,
  version: SemanticVersion,
  compare: (one: SemanticVersion, other: SemanticVersion) => number,
): RequiredStop {
  // What is of unknown version is at the stop: nothing is known to be before or after it.
  return { text, compare: (other) => (other.version === undefined ? 0 : compare(other.version, version)) }
}

/** A channel, and its steps in every reading. */
export interface CheckedChannel {
  readonly owner: PackageGraph
  readonly channel: ChannelGraph
  readonly all: UpgradeScope
  readonly v0: UpgradeScope
}

/** What the checks derive findings from. */
export interface CheckInput {
  readonly graph: UpgradeGraph
  /** Rules of opm that the catalog breaks. */
  readonly problems: readonly CatalogProblem[]
  readonly ignored: readonly IgnoredPart[]
  readonly semantics: 'v0' | 'v1'
  readonly channels: readonly CheckedChannel[]
  /** Where OLM chooses: each channel, or each package. */
  readonly scopes: readonly UpgradeScope[]
  readonly maxHops: number | undefined
  readonly requiredStops: readonly RequiredStop[]
}
