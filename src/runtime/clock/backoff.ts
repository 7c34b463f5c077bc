import type { Random } from '../process/random.ts'

/** Growth of waiting times. */
export interface BackoffOptions {
  /** Milliseconds before the second try. */
  readonly initialMs: number
  readonly maxMs: number
  /** Default 2. */
  readonly factor?: number
  /** Random part of each wait: 0 for none, 0.5 for between half and all of it. Default 0.5. */
  readonly jitter?: number
}

/** Returns the milliseconds to wait after the given number of consecutive failures (1 or more). */
export function backoffMs(failures: number, options: BackoffOptions, random: Random): number {
  const full = Math.min(options.maxMs, options.initialMs * (options.factor ?? 2) ** Math.max(0, failures - 1))
  return full * (1 - (options.jitter ?? 0.5) * random())
}
