import { deepEqual } from '#apimachinery/equality.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { Guest } from '../guest/guest.ts'

/** Asks about each guest again and again, in the background: an agent that hangs delays nothing. */
export interface GuestPoller<T> extends Disposable {
  /**
   * Returns the last answer about a guest; undefined before the first one. `ask` gets the answer
   * before, and must not reject. A guest is reconciled when its answer changes.
   */
  latest(guest: Guest, ask: (before: T | undefined) => Promise<T | undefined>): T | undefined
  /** Stops asking about a guest. The next call of {@link latest} begins anew. */
  forget(guest: Pick<Guest, 'podUid'>): void
}

interface Polled<T> {
  answer?: T | undefined
  timer?: Disposable
}

/** Creates a poller. `intervalMs`: milliseconds between an answer and the next question. */
export function createGuestPoller<T>({ clock, intervalMs }: { readonly clock: Clock; readonly intervalMs: number }): GuestPoller<T> {
  const polled = new Map<string, Polled<T>>()

  async function repeat(guest: Guest, entry: Polled<T>, ask: (before: T | undefined) => Promise<T | undefined>): Promise<void> {
    const answer = await ask(entry.answer)
    if (polled.get(guest.podUid) !== entry) return
    entry.timer = clock.after(intervalMs, () => void repeat(guest, entry, ask))
    if (deepEqual(answer, entry.answer)) return
    entry.answer = answer
    guest.changed()
  }

  return {
    latest(guest, ask) {
      const known = polled.get(guest.podUid)
      if (known !== undefined) return known.answer
      const entry: Polled<T> = {}
      polled.set(guest.podUid, entry)
      void repeat(guest, entry, ask)
      return undefined
    },
    forget({ podUid }) {
      polled.get(podUid)?.timer?.[Symbol.dispose]()
      polled.delete(podUid)
    },
    [Symbol.dispose]() {
      for (const { timer } of polled.values()) timer?.[Symbol.dispose]()
      polled.clear()
    },
  }
}
