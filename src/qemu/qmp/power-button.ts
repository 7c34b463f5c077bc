const shortestMs = 1_000
const longestMs = 5_000

/**
 * Milliseconds from one press of the power button to the next. A guest whose firmware or kernel
 * still boots misses presses, and nothing tells: so it is pressed often at first and ever more
 * rarely, and no guest ends much more than a quarter later than it could. `sinceMs` is the time
 * from the first press to the last.
 */
export function pressAgainAfterMs(sinceMs: number): number {
  return Math.min(longestMs, Math.max(shortestMs, sinceMs / 4))
}
