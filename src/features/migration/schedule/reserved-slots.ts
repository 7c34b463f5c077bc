import type { Clock } from '#runtime/clock.ts'

/**
 * Milliseconds after which a pod that was asked for, and that the cache does not show, has not been
 * made or has gone again.
 */
const patienceMs = 30_000

/**
 * Places among those that may move at a time which were given away a moment ago, and which the
 * cache does not show as taken yet. Who is next in line changes with each migration that comes, so
 * that two which look one after the other at an old cache might both be.
 */
export interface ReservedSlots {
  give(migrationUid: string): void
  /** Nothing was made. */
  takeBack(migrationUid: string): void
  isGiven(migrationUid: string): boolean
}

/** Nothing is given away yet: whoever has just begun to watch sees all that others have made. */
export function createReservedSlots(clock: Pick<Clock, 'now'>): ReservedSlots {
  const givenUntil = new Map<string, number>()
  return {
    give(uid) {
      const now = clock.now()
      for (const [other, until] of givenUntil) if (until <= now) givenUntil.delete(other)
      givenUntil.set(uid, now + patienceMs)
    },
    takeBack: (uid) => void givenUntil.delete(uid),
    isGiven: (uid) => (givenUntil.get(uid) ?? -Infinity) > clock.now(),
  }
}
