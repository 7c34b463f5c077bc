import { isTimeZone } from '#apimachinery/time-zone.ts'
import { parseSchedule, ScheduleError, type Schedule } from '#runtime/clock/schedule.ts'

/** Parses a schedule, which may begin with `CRON_TZ=Europe/Berlin`. @throws ScheduleError */
export function parseCronSchedule(text: string): Schedule {
  const [, zone, rest] = /^(?:CRON_TZ|TZ)=(\S*)\s+(.*)$/.exec(text.trim()) ?? []
  if (zone === undefined || rest === undefined) return parseSchedule(text.trim())
  if (!isTimeZone(zone)) throw new ScheduleError(`unknown time zone ${zone}`)
  return parseSchedule(rest, zone)
}

/** Returns why a schedule cannot be used; undefined if it can. Pure. */
export function whyNoSchedule(text: string): string | undefined {
  try {
    parseCronSchedule(text)
    return undefined
  } catch (error) {
    if (error instanceof ScheduleError) return error.message
    throw error
  }
}

/** Milliseconds between tries after the source could not be asked. */
const retryMs = { first: 300_000, most: 3_600_000 } as const

/** Next time of a schedule that never comes, such as that of February 30. */
const neverMs = Date.UTC(9999, 0, 1)

/** Returns the next time to ask for the digest after an answer. Pure. */
export function nextPoll(schedule: string, nowMs: number): number {
  return parseCronSchedule(schedule).next(nowMs) ?? neverMs
}

/**
 * Returns the next time to ask after a question without answer: sooner than the schedule says, and
 * later the longer there is no answer. `sinceMs`: when that began. Pure.
 */
export function nextTry(schedule: string, nowMs: number, sinceMs: number): number {
  const delay = Math.min(retryMs.most, Math.max(retryMs.first, nowMs - sinceMs))
  return Math.min(nextPoll(schedule, nowMs), nowMs + delay)
}
