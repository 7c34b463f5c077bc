import { isInSpans, type RankSpan } from '../graph/graph.ts'
import type { UpgradeTarget } from '../semantics/scope.ts'

/** Versions from which there is a step, of which some are named and the rest is counted. */
export interface Sources {
  readonly count: number
  /** Ranks of the least ones. */
  readonly first: readonly number[]
}

const most = 5

/** Versions of some ranks from which there is a step to a target. Pure. */
export function sourcesAmong({ to, named, range }: UpgradeTarget, { from, until }: RankSpan): Sources {
  const isWithin = (rank: number): boolean => from <= rank && rank < until && rank !== to.rank
  const clipped = range
    .map((span) => ({ from: Math.max(span.from, from), until: Math.min(span.until, until) }))
    .filter((span) => span.from < span.until)
  const extra = named.filter((rank) => isWithin(rank) && !isInSpans(rank, range))
  const count = clipped.reduce((sum, span) => sum + span.until - span.from, 0) - Number(isInSpans(to.rank, clipped)) + extra.length
  const begins = clipped.flatMap((span) =>
    Array.from({ length: Math.min(most + 1, span.until - span.from) }, (_, index) => span.from + index),
  )
  const first = [...begins.filter(isWithin), ...extra].toSorted((one, other) => one - other).slice(0, most)
  return { count, first }
}
