import { setTimeout as sleep } from 'node:timers/promises'

/** Polling of {@link waitFor}, in milliseconds. */
export interface WaitOptions {
  readonly everyMs?: number
  readonly limitMs?: number
}

/**
 * Polls until `check` holds. @throws Error that names `what` after the limit, three minutes unless
 * told otherwise: a benchmark that cannot be measured ends.
 */
export async function waitFor(
  what: string,
  check: () => boolean | Promise<boolean>,
  { everyMs = 5, limitMs = 180_000 }: WaitOptions = {},
): Promise<void> {
  const limit = performance.now() + limitMs
  while (!(await check())) {
    if (performance.now() > limit) throw new Error(`gave up waiting until ${what}, after ${limitMs / 1000} s`)
    await sleep(everyMs)
  }
}
