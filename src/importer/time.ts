import { setTimeout as sleep } from 'node:timers/promises'

/** Time and chance as parameters, so that tests own them. */
export interface Time {
  /** Milliseconds that only grow. */
  now(): number
  sleep(ms: number, signal: AbortSignal): Promise<void>
  /** From 0 up to 1. */
  random(): number
}

/** The machine's time. */
export const systemTime: Time = {
  now: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
  // oxlint-disable-next-line no-restricted-properties -- the one place that chance comes from
  random: () => Math.random(),
}

/** Milliseconds to wait after the given number of failures in a row: half a second, then twice. */
export function waitAfter(failures: number, random: number): number {
  return Math.min(30_000, 500 * 2 ** (failures - 1)) * (1 - random / 2)
}
