import type { ExitedRecord } from '../container/container.ts'

/** A run at least this long (milliseconds) makes earlier failures forgotten. */
const steadyRunMs = 300_000
const initialMs = 1_000
const maximumMs = 60_000

/**
 * Milliseconds to wait after so many quick restarts in a row: none before the first, then 1 s
 * doubling to 60 s.
 */
export function restartDelayMs(level: number): number {
  return level === 0 ? 0 : Math.min(maximumMs, initialMs * 2 ** (level - 1))
}

/**
 * Returns the earliest time of the next run, and the back-off level after that run. `level` counts
 * consecutive early exits since this kubelet started. It is never stored: after a restart of the
 * kubelet all containers start without delay.
 */
export function nextRun(
  ended: ExitedRecord,
  known: number,
): { readonly startAt: number; readonly level: number; readonly delayMs: number } {
  const steady = ended.exit.finishedAt - ended.startedAt >= steadyRunMs
  const level = steady ? 0 : known
  const delayMs = restartDelayMs(level)
  return { startAt: ended.exit.finishedAt + delayMs, level: level + 1, delayMs }
}
