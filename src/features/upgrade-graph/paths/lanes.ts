import type { GraphVersion } from '../graph/graph.ts'
import { sourceCount, sourcesOf, type UpgradeScope } from '../semantics/scope.ts'
import { nextSteps } from './ways.ts'

/** An upgrade from one version to another that a catalog allows: what is to be tested. */
export interface UpgradeLane {
  readonly package: string
  /** Channels in which it is allowed. */
  readonly channels: readonly string[]
  readonly from: string
  readonly to: string
  /** Versions of both, as their bundles have them; empty when unknown. */
  readonly versions: readonly [string, string]
  /**
   * True if OLM takes it when all versions can be installed, and false if another one is nearer to
   * the head.
   */
  readonly isPreferred: boolean
}

/** The number of steps, before {@link upgradeLanes} lists them. Pure. */
export function laneCount(scopes: readonly UpgradeScope[]): number {
  return scopes.reduce((sum, { targets }) => sum + targets.reduce((all, target) => all + sourceCount(target), 0), 0)
}

/** Lists each upgrade once, from the least version on, with the channels that have it. Pure. */
export function upgradeLanes(scopes: readonly UpgradeScope[]): readonly UpgradeLane[] {
  const lanes = new Map<string, UpgradeLane & { readonly order: readonly [string, number, number] }>()
  for (const scope of scopes) {
    const next = nextSteps(scope)
    for (const target of scope.targets)
      for (const rank of sourcesOf(target)) {
        const from = scope.package.versions[rank]
        if (from === undefined) continue
        const key = JSON.stringify([scope.package.name, from.name, target.to.name])
        lanes.set(key, merged(lanes.get(key), scope, from, target.to, next[rank] === target.to))
      }
  }
  return [...lanes.values()]
    .toSorted(({ order: one }, { order: other }) =>
      one[0] === other[0] ? one[1] - other[1] || one[2] - other[2] : one[0] < other[0] ? -1 : 1,
    )
    .map(({ order: _order, ...lane }) => lane)
}

function merged(
  known: UpgradeLane | undefined,
  { package: { name }, channel }: UpgradeScope,
  from: GraphVersion,
  to: GraphVersion,
  isPreferred: boolean,
): UpgradeLane & { readonly order: readonly [string, number, number] } {
  return {
    package: name,
    channels: [...(known?.channels ?? []), ...(channel === undefined ? [] : [channel])],
    from: from.name,
    to: to.name,
    versions: [from.text, to.text],
    isPreferred: isPreferred || known?.isPreferred === true,
    order: [name, from.rank, to.rank],
  }
}
