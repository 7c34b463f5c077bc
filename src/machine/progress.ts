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
 * Repeats `check` until it gives undefined; a string says what is still missing. @throws TimedOut
 */
export async function waitUntil(check: () => Promise<string | undefined>, options: WaitOptions): Promise<void> {
  const deadline = options.now() + options.timeoutMs
  for (;;) {
    const missing = await check()
    if (missing === undefined) return
    if (options.now() >= deadline)
      throw new TimedOut(`Timed out after ${Math.round(options.timeoutMs / 1000)} s: ${options.describe(missing)}`)
    await options.sleep(options.intervalMs)
  }
}
