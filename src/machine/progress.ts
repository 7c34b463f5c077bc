/** Receives progress messages of long operations. */
export interface Progress {
  (message: string): void
}

/** The operation did not finish in time. The message says what was missing and where to look. */
export class TimedOut extends Error {
  override readonly name = 'TimedOut'
}

/** Options of {@link waitUntil}. */
export interface WaitOptions {
  readonly timeoutMs: number
  readonly intervalMs: number
  /** Completes "Timed out after 30 s: …" from the last result of the check. */
  readonly describe: (last: string) => string
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<void>
}

/**
 * Repeats `check` until it returns undefined; a string states what is missing. The time-out also
 * covers a check that does not return, as with a server that accepts requests and does not answer.
 * @throws TimedOut
 */
export async function waitUntil(check: () => Promise<string | undefined>, options: WaitOptions): Promise<void> {
  const deadline = options.now() + options.timeoutMs
  let last = 'there is no answer'
  for (;;) {
    const missing = await beforeTimeout(check(), Math.max(deadline - options.now(), 0), () => last)
    if (missing === undefined) return
    last = missing
    if (options.now() >= deadline)
      throw new TimedOut(`Timed out after ${Math.round(options.timeoutMs / 1000)} s: ${options.describe(missing)}`)
    await options.sleep(options.intervalMs)
  }
}

/** Minimum milliseconds for one check, also after the deadline. */
const MIN_CHECK_MS = 2_000

async function beforeTimeout<T>(result: Promise<T>, ms: number, otherwise: () => T): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const expired = new Promise<T>((resolve) => (timer = setTimeout(() => resolve(otherwise()), Math.max(ms, MIN_CHECK_MS))))
  try {
    return await Promise.race([result, expired])
  } finally {
    clearTimeout(timer)
  }
}
