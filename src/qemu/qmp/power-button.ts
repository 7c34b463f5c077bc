const shortestMs = 1_000
const longestMs = 5_000

/**
 * Returns the milliseconds between two presses of the power button. A guest whose firmware or
 * kernel still boots misses presses without a sign: it is pressed often at first and then less, so
 * that no guest ends more than about a quarter later than it could. `sinceMs` is the time from the
 * first press to the last.
 */
export function pressAgainAfterMs(sinceMs: number): number {
  return Math.min(longestMs, Math.max(shortestMs, sinceMs / 4))
}
