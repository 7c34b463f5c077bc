/** Earliest replacement times of failed pods, by key. */
export interface FailedPods {
  /** Milliseconds since the epoch before which nothing shall be done; 0 when nothing is known. */
  retryAt(key: string): number
  /** A failed pod is being replaced now: the next one waits twice as long. */
  replaced(key: string, now: number): void
}

const firstMs = 1_000
const longestMs = 15 * 60_000

/**
 * Back-off of failed daemon pods by node, in memory. An entry without failure for twice the longest
 * delay is dropped. A restart drops all: then one pod is replaced early.
 */
export function createFailedPods(): FailedPods {
  const known = new Map<string, { at: number; waitMs: number }>()
  return {
    retryAt(key) {
      const entry = known.get(key)
      return entry === undefined ? 0 : entry.at + entry.waitMs
    },
    replaced(key, now) {
      for (const [other, { at }] of known) if (now - at > 2 * longestMs) known.delete(other)
      const waitMs = Math.min(longestMs, (known.get(key)?.waitMs ?? firstMs / 2) * 2)
      known.set(key, { at: now, waitMs })
    },
  }
}
