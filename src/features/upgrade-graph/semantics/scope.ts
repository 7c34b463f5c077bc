import { isInSpans, joinSpans, type GraphEntry, type GraphVersion, type PackageGraph, type RankSpan } from '../graph/graph.ts'

/** How OLM is taken to choose upgrades. `catalog`: every step that a catalog has. */
export type Semantics = 'catalog' | 'v0' | 'v1'

/**
 * Versions among which OLM chooses the next one, and the steps between them. A step from one
 * version to another is in the entry of the other, so that steps are kept by their targets: a range
 * that covers thousands of versions is one span.
 */
export interface UpgradeScope {
  readonly package: PackageGraph
  /** Undefined: the package as a whole. */
  readonly channel: string | undefined
  /** Versions that the checks ask about. */
  readonly members: readonly GraphVersion[]
  /** Version that all upgrades should lead to; undefined when there is not exactly one. */
  readonly head: GraphVersion | undefined
  /** Versions that OLM may choose, the one that it prefers first. */
  readonly targets: readonly UpgradeTarget[]
  /** True if OLM stays at a version rather than going to one that it prefers less. */
  readonly staysAtPreferred: boolean
}

/** A version that OLM may choose, and those from which it may. */
export interface UpgradeTarget {
  readonly to: GraphVersion
  /** Ranks of versions that the entry names, without itself. */
  readonly named: readonly number[]
  /** Versions in its range. They may contain the version itself. */
  readonly range: readonly RankSpan[]
}

/** Reads the steps to a version from its entries in one or more channels. Pure. */
export function targetOf(owner: PackageGraph, to: GraphVersion, entries: readonly GraphEntry[]): UpgradeTarget {
  const named = entries
    .flatMap(({ replaces, skips }) => [replaces, ...skips])
    .flatMap((name): readonly number[] => {
      const version = owner.byName.get(name)
      return version === undefined || version === to ? [] : [version.rank]
    })
  return { to, named: [...new Set(named)], range: joinSpans(entries.flatMap(({ range }) => range)) }
}

/** Reports whether there is a step to a target. Pure. */
export function isStep({ rank }: GraphVersion, { to, named, range }: UpgradeTarget): boolean {
  return rank !== to.rank && (isInSpans(rank, range) || named.includes(rank))
}

/** Ranks from which there is a step to a target, from the least on. Pure. */
export function sourcesOf({ to, named, range }: UpgradeTarget): readonly number[] {
  const ranks = new Set(named)
  for (const { from, until } of range) for (let rank = from; rank < until; rank += 1) if (rank !== to.rank) ranks.add(rank)
  return [...ranks].toSorted((one, other) => one - other)
}

/** Counts the steps to a target without listing them. Pure. */
export function sourceCount({ to, named, range }: UpgradeTarget): number {
  const inRange = range.reduce((sum, { from, until }) => sum + until - from, 0)
  return inRange - Number(isInSpans(to.rank, range)) + named.filter((rank) => !isInSpans(rank, range)).length
}
