import type { Clock } from './clock.ts'
import type { LogFields, Logger } from './log.ts'

/** A run of failures of one thing that is tried again and again. */
export interface Outage {
  /** Logs a failure: quietly at first, as a warning when it lasts. */
  failed(fields: LogFields, message: string): void
  /** The thing works again: the next failure is a new outage. */
  ended(): void
}

/** What an outage needs. */
export interface OutageOptions {
  readonly clock: Pick<Clock, 'now'>
  readonly log: Logger
  /** Milliseconds for which failures are nobody's business. Default 10 000. */
  readonly graceMs?: number
}

/**
 * Tells what passes from what somebody must look at. Components start in any order and survive each
 * other's restarts, so for some seconds "connection refused" or "not found" is what has to be
 * expected: a log that warns of it each time hides the warning that matters.
 */
export function createOutage({ clock, log, graceMs = 10_000 }: OutageOptions): Outage {
  let since: number | undefined
  return {
    failed(fields, message) {
      since ??= clock.now()
      if (clock.now() - since < graceMs) log.debug(fields, message)
      else log.warn(fields, message)
    },
    ended() {
      since = undefined
    },
  }
}
