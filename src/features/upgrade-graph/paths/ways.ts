import { isInSpans, type GraphVersion } from '../graph/graph.ts'
import { isStep, type UpgradeScope, type UpgradeTarget } from '../semantics/scope.ts'

/** Answers about all versions of a package, by rank. */
export type ByRank<Answer> = readonly Answer[]

/** Ranks that are left, of which the next one at or after any rank is found at once. */
class Remaining {
  readonly #next: Int32Array

  constructor(count: number) {
    this.#next = Int32Array.from({ length: count + 1 }, (_, rank) => rank)
  }

  /** The first rank that is left, at or after one. */
  after(rank: number): number {
    let root = rank
    while (this.#next[root] !== root) root = this.#next[root] ?? root
    for (let at = rank; at !== root;) {
      const next = this.#next[at] ?? root
      this.#next[at] = root
      at = next
    }
    return root
  }

  remove(rank: number): boolean {
    if (this.after(rank) !== rank) return false
    this.#next[rank] = rank + 1
    return true
  }

  /** Removes the ranks from which there is a step to a target, and returns them. */
  *take({ to, named, range }: UpgradeTarget): Generator<number> {
    for (const rank of named) if (rank !== to.rank && this.remove(rank)) yield rank
    for (const { from, until } of range)
      for (let rank = this.after(from); rank < until; rank = this.after(rank + 1))
        if (rank !== to.rank) {
          this.remove(rank)
          yield rank
        }
  }
}

/** The version to which OLM goes from each one; undefined where it stays. Pure. */
export function nextSteps({ package: { versions }, targets, staysAtPreferred }: UpgradeScope): ByRank<GraphVersion | undefined> {
  const next = Array.from<unknown, GraphVersion | undefined>({ length: versions.length }, () => undefined)
  const remaining = new Remaining(versions.length)
  for (const target of targets) {
    if (staysAtPreferred) remaining.remove(target.to.rank)
    for (const rank of remaining.take(target)) next[rank] = target.to
  }
  return next
}

/**
 * The least number of steps from each version to another one; undefined where there is no way.
 * Pure.
 */
export function hopsTo({ package: { versions }, targets }: UpgradeScope, goal: GraphVersion): ByRank<number | undefined> {
  const hops = Array.from<unknown, number | undefined>({ length: versions.length }, () => undefined)
  const remaining = new Remaining(versions.length)
  const targetAt = new Map(targets.map((target) => [target.to.rank, target]))
  remaining.remove(goal.rank)
  hops[goal.rank] = 0
  const queue = [goal.rank]
  // The list grows while it is read.
  for (const at of queue) {
    const target = targetAt.get(at)
    if (target === undefined) continue
    for (const rank of remaining.take(target)) {
      hops[rank] = (hops[at] ?? 0) + 1
      queue.push(rank)
    }
  }
  return hops
}

/** The number of steps that lead away from each version. Pure. */
export function stepCounts({ package: { versions }, targets }: UpgradeScope): ByRank<number> {
  const changes = Array.from({ length: versions.length + 1 }, () => 0)
  const add = (from: number, until: number, count: number): void => {
    changes[from] = (changes[from] ?? 0) + count
    changes[until] = (changes[until] ?? 0) - count
  }
  for (const { to, named, range } of targets) {
    for (const { from, until } of range) add(from, until, 1)
    if (isInSpans(to.rank, range)) add(to.rank, to.rank + 1, -1)
    for (const rank of named) if (!isInSpans(rank, range)) add(rank, rank + 1, 1)
  }
  let sum = 0
  return changes.slice(0, -1).map((change) => (sum += change))
}

/**
 * The way that OLM takes from a version, with it, until it stays or returns to where it was. Pure.
 */
export function takenFrom(from: GraphVersion, next: ByRank<GraphVersion | undefined>): readonly GraphVersion[] {
  const way = new Set<GraphVersion>()
  for (let at: GraphVersion | undefined = from; at !== undefined && !way.has(at); at = next[at.rank]) way.add(at)
  return [...way]
}

/** A way with the least number of steps, with both ends; undefined where there is none. Pure. */
export function shortestWay(scope: UpgradeScope, from: GraphVersion, to: GraphVersion): readonly GraphVersion[] | undefined {
  const hops = hopsTo(scope, to)
  const way = [from]
  for (let at = from; at !== to;) {
    const left = hops[at.rank]
    if (left === undefined) return undefined
    // One of the targets is a step nearer, as `left` says.
    const nearer = scope.targets.find((target) => hops[target.to.rank] === left - 1 && isStep(at, target))
    if (nearer === undefined) return undefined
    at = nearer.to
    way.push(at)
  }
  return way
}
