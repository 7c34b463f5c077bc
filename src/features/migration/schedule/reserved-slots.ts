import type { Clock } from '#runtime/clock/clock.ts'

/**
 * Milliseconds after which a requested pod that is not in the cache was not created, or is gone.
 */
const patienceMs = 30_000

/**
 * Slots of parallel migrations that were given away while the cache does not show the target pod
 * yet. Without them, two passes over a stale cache could both be next in the queue.
 */
export interface ReservedSlots {
  reserve(migrationUid: string): void
  /** Releases a slot whose pod was not created. */
  release(migrationUid: string): void
  isReserved(migrationUid: string): boolean
}

/** Starts empty: the caches of a new process show all pods that its predecessor created. */
export function createReservedSlots(clock: Pick<Clock, 'now'>): ReservedSlots {
  const reservedUntil = new Map<string, number>()
  return {
    reserve(uid) {
      const now = clock.now()
      for (const [other, until] of reservedUntil) if (until <= now) reservedUntil.delete(other)
      reservedUntil.set(uid, now + patienceMs)
    },
    release: (uid) => void reservedUntil.delete(uid),
    isReserved: (uid) => (reservedUntil.get(uid) ?? -Infinity) > clock.now(),
  }
}
