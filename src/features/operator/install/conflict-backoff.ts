import type { Clock } from '#runtime/clock/clock.ts'

const firstDelayMs = 1_000
const maxDelayMs = 300_000

/** Delay before CRDs are corrected again that another actor keeps changing. */
export interface ConflictBackoff {
  /** Milliseconds that remain; 0 without a conflict. */
  readonly remainingMs: number
  /** Records that a correction was reverted, and starts the next delay. */
  recordConflict(): void
}

/**
 * Backs off (1 s doubling to 5 min) while another actor keeps reverting our CRDs, so that the
 * operator does not spend all its time on them. Resets after 5 min without a conflict.
 */
export function createConflictBackoff(clock: Pick<Clock, 'now'>): ConflictBackoff {
  let delayMs = 0
  let until = 0
  return {
    get remainingMs() {
      return Math.max(0, until - clock.now())
    },
    recordConflict() {
      const isReset = delayMs === 0 || clock.now() > until + maxDelayMs
      delayMs = isReset ? firstDelayMs : Math.min(delayMs * 2, maxDelayMs)
      until = clock.now() + delayMs
    },
  }
}
