/** Values granted to requests that are not stored yet. Each expires after the longest request. */
export interface Reservations {
  /** Reports whether another owner holds it. */
  has(thing: string, owner: string): boolean
  add(thing: string, owner: string): void
  /** Frees a value that was stored or removed. */
  release(thing: string): void
}

/** Exceeds the longest request. */
const keptMs = 60_000

/**
 * Keeps reservations in memory: after a restart, unfinished requests are gone and stored values are
 * read again.
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
      // Deleted and set again, so that the map stays in order of time.
      held.delete(thing)
      held.set(thing, { until: now() + keptMs, owner })
    },
    release: (thing) => void held.delete(thing),
  }
}
