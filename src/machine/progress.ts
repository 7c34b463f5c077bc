/** Where long work says what it does. Implementations write to standard error or to nothing. */
export interface Progress {
  (message: string): void
}

/**
 * The work could not be finished in time. The message says what was waited for and where to look.
 */
export class TimedOut extends Error {
  override readonly name = 'TimedOut'
}

/** Options of {@link waitUntil}. */
export interface WaitOptions {
  readonly timeoutMs: number
  readonly intervalMs: number
  /** Ends the sentence "Timed out after 30 s: …", from the last answer. */
  readonly describe: (last: string) => string
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<void>
}

/**
 * Repeats `check` until it gives undefined; a string says what is still missing. A check that does
 * not come back, as with a server that accepts requests and answers none, ends with the time-out,
 * too. @throws TimedOut
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

/** Milliseconds that a check gets at least, also when the time is over: one look is always taken. */
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
