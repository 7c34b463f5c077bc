import type { Clock } from './clock.ts'
import type { LogFields, Logger } from '../process/log.ts'

/** A run of failures of one thing that is tried again and again. */
export interface Outage {
  /** Logs a failure: quietly at first, as a warning when it lasts. */
  failed(fields: LogFields, message: string): void
  /** The thing works again: the next failure is a new outage. */
  ended(): void
}

/** Dependencies and options of an outage. */
export interface OutageOptions {
  readonly clock: Pick<Clock, 'now'>
  readonly log: Logger
  /** Milliseconds for which failures are not warned about. Default 10 000. */
  readonly graceMs?: number
}

/**
 * Distinguishes transient failures from those that need attention. Components start in any order
 * and survive restarts of each other, so for some seconds "connection refused" or "not found" is
 * expected: a log that warns each time hides the relevant warning.
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
