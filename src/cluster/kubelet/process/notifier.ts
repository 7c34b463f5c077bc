import type { Clock } from '#runtime/clock/clock.ts'

/** Wakes all current waiters, like a condition variable with a time limit. */
export interface Notifier {
  notify(): void
  /** Resolves at the next notification, or after `ms`. */
  wait(ms: number): Promise<void>
}

/** Creates a notifier without waiters. */
export function createNotifier(clock: Clock): Notifier {
  let next = Promise.withResolvers<void>()
  return {
    notify() {
      next.resolve()
      next = Promise.withResolvers<void>()
    },
    async wait(ms) {
      const limit = Promise.withResolvers<void>()
      using _timer = clock.after(ms, limit.resolve)
      await Promise.race([next.promise, limit.promise])
    },
  }
}
