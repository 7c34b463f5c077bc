import { Cron } from 'croner'

/** Times of a schedule. */
export interface Schedule {
  /** First time after another one, in milliseconds; undefined when there is none. */
  next(afterMs: number): number | undefined
  /** Last time after `afterMs` and up to now; undefined when there is none. */
  last(afterMs: number, nowMs: number): number | undefined
}

/** A schedule or a time zone cannot be used. */
export class ScheduleError extends Error {
  override readonly name = 'ScheduleError'
}

const nicknames: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
])

const unitMs: Readonly<Record<string, number>> = { ns: 1e-6, us: 1e-3, µs: 1e-3, μs: 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** Largest value of each field of a pattern, for steps beyond it. */
const largest = [59, 23, 31, 12, 6]

/**
 * Parses a schedule in cron format, as CronJobs have it. Without a zone, times are those of the
 * machine.
 * @throws ScheduleError
 */
export function parseSchedule(text: string, timeZone?: string): Schedule {
  const every = /^@every (.+)$/.exec(text)?.[1]
  if (every !== undefined) return intervals(every)
  try {
    const options = { paused: true, mode: '5-part', sloppyRanges: true, ...(timeZone === undefined ? {} : { timezone: timeZone }) } as const
    const cron = new Cron(patternOf(nicknames.get(text) ?? text), options)
    return {
      next: (afterMs) => cron.nextRun(new Date(afterMs))?.getTime(),
      last(afterMs, nowMs) {
        // The library looks for a time before the reference, in whole seconds.
        const found = cron.previousRuns(1, new Date(Math.floor(nowMs / 1000) * 1000 + 1000))[0]?.getTime()
        return found !== undefined && found > afterMs ? found : undefined
      },
    }
  } catch (error) {
    throw new ScheduleError(error instanceof Error ? error.message : String(error), { cause: error })
  }
}

/** `@every` counts from the time before, in whole seconds. */
function intervals(duration: string): Schedule {
  const parts = [...duration.matchAll(/(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g)]
  const total = parts.reduce((sum, [, count, unit]) => sum + Number(count) * (unitMs[unit ?? ''] ?? 0), 0)
  const stepMs = Math.max(1, Math.floor(total / 1000)) * 1000
  const next = (afterMs: number): number => Math.floor(afterMs / 1000) * 1000 + stepMs
  return {
    next,
    last(afterMs, nowMs) {
      const firstMs = next(afterMs)
      return firstMs > nowMs ? undefined : firstMs + Math.floor((nowMs - firstMs) / stepMs) * stepMs
    },
  }
}

/**
 * Rewrites what Kubernetes' parser takes and the library does not: `?`, signs, empty items of
 * lists, and steps beyond the end of a field, which leave its first value.
 */
function patternOf(text: string): string {
  const fields = text.split(/\s+/).filter((field) => field !== '')
  return fields
    .map((field, index) =>
      field
        .split(',')
        .filter((item) => item !== '')
        .map((item) => itemOf(item.replaceAll('?', '*').replaceAll('+', ''), largest[index] ?? 0))
        .join(','),
    )
    .join(' ')
}

function itemOf(item: string, last: number): string {
  const [range = '', step] = item.split('/')
  if (step === undefined || Number(step) <= last) return item
  const [first = '', end] = range.split('-')
  if (first !== '*') return end === undefined || end !== first ? first : item
  return last === 31 || last === 12 ? '1' : '0'
}
