import type { Clock } from '#runtime/clock.ts'

/** Lets several waiters wait for "something changed" with a time limit. */
export interface Notifier {
  ring(): void
  /** Resolves at the next ring, or after `ms`. */
  heard(ms: number): Promise<void>
}

/** Makes a bell. */
export function createNotifier(clock: Clock): Notifier {
  let rung = Promise.withResolvers<void>()
  return {
    ring() {
      rung.resolve()
      rung = Promise.withResolvers<void>()
    },
    async heard(ms) {
      const limit = Promise.withResolvers<void>()
      using _timer = clock.after(ms, limit.resolve)
      await Promise.race([rung.promise, limit.promise])
    },
  }
}
