import type { FreeSpace } from '../volumes/free-space.ts'

/** A guest that is stopped because there was no space for what it wrote, and for nothing else. */
export interface OutOfSpace {
  readonly space: FreeSpace
  /** Disks that are full. */
  readonly disks: readonly string[]
  /** Time at which this process first found it stopped. */
  readonly sinceMs: number
  /** The last attempt; undefined before the first one by this process. */
  readonly trial?: SpaceTrial | undefined
}

/** An attempt to resume a guest that was out of space. */
export interface SpaceTrial {
  readonly atMs: number
  /** Attempts in a row. */
  readonly count: number
  /** Disks that were full. */
  readonly disks: readonly string[]
}

/** What to do about a guest that is out of space: resume it now, or look again later. */
export type SpaceDecision = { readonly kind: 'try' } | { readonly kind: 'look'; readonly againMs: number }

/** Milliseconds for which a guest stays stopped at least, so that users learn of it. */
const firstPauseMs = 1_000
/** Milliseconds between two attempts: doubled up to the longest, because each may be in vain. */
const pausesMs = { first: 1_000, longest: 60_000 } as const
/** Milliseconds between two looks at full file systems; longer, the longer they are full. */
const looksMs = { shortest: 500, longest: 10_000 } as const
/**
 * Milliseconds in which QEMU repeats the writes of a resumed guest: one that fails stops it again.
 */
const settleMs = 250

/**
 * Decides about a guest that is out of space. A full file system is looked at; what does not say
 * whether it has space is tried out, and so is one that has space but refuses writes, by a quota.
 * Pure.
 */
export function decideOutOfSpace({ space, sinceMs, trial }: OutOfSpace, nowMs: number): SpaceDecision {
  const tryAtMs = Math.max(sinceMs + firstPauseMs, trial === undefined ? 0 : trial.atMs + pauseAfter(trial))
  if (tryAtMs > nowMs) return { kind: 'look', againMs: tryAtMs - nowMs }
  if (space !== 'lacking') return { kind: 'try' }
  return { kind: 'look', againMs: Math.min(Math.max((nowMs - sinceMs) / 2, looksMs.shortest), looksMs.longest) }
}

/** Returns the attempt that is made now. After a long time without one, it is the first again. */
export function nextTrial(former: SpaceTrial | undefined, disks: readonly string[], nowMs: number): SpaceTrial {
  const isInARow = former !== undefined && nowMs - former.atMs <= 2 * pausesMs.longest
  return { atMs: nowMs, count: isInARow ? former.count + 1 : 1, disks }
}

/** Milliseconds until it shows whether the attempt has helped; 0 or less when it does. */
export function settlesInMs(trial: SpaceTrial | undefined, nowMs: number): number {
  return trial === undefined ? 0 : trial.atMs + settleMs - nowMs
}

function pauseAfter({ count }: SpaceTrial): number {
  return Math.min(pausesMs.first * 2 ** Math.min(count - 1, 10), pausesMs.longest)
}
