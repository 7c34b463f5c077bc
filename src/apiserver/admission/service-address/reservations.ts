/**
 * Things that were given out to requests which are not stored yet. Each is free again after a
 * while: its request has ended by then.
 */
export interface Reservations {
  /** Whether somebody else than the owner has it. */
  has(thing: string, owner: string): boolean
  add(thing: string, owner: string): void
  /** It is stored by now, or was removed. */
  release(thing: string): void
}

/** Longer than any request takes. */
const keptMs = 60_000

/**
 * Remembers in memory only: who gives out things after a restart reads the stored ones, and
 * unfinished requests are gone.
 */
export function createReservations(now: () => number): Reservations {
  const held = new Map<string, { readonly until: number; readonly owner: string }>()
  const expire = (): void => {
    for (const [thing, { until }] of held) {
      if (until > now()) return
      held.delete(thing)
    }
  }
  return {
    has(thing, owner) {
      expire()
      const found = held.get(thing)
      return found !== undefined && found.owner !== owner
    },
    add(thing, owner) {
      // Removed first, so that the map stays in the order of time.
      held.delete(thing)
      held.set(thing, { until: now() + keptMs, owner })
    },
    release: (thing) => void held.delete(thing),
  }
}
