import { type Overload, overload } from '../types/signature.ts'
import { durationOf, inZone, timestampOf } from '../values/time.ts'
import type { CelDuration, CelTimestamp } from '../values/values.ts'

const nanosOf = (value: unknown): bigint => (value as CelTimestamp | CelDuration).nanos

const arithmetic: readonly Overload[] = [
  overload('add_timestamp_duration', '_+_(timestamp, duration): timestamp', ([a, b]) => timestampOf(nanosOf(a) + nanosOf(b))),
  overload('add_duration_timestamp', '_+_(duration, timestamp): timestamp', ([a, b]) => timestampOf(nanosOf(a) + nanosOf(b))),
  overload('add_duration_duration', '_+_(duration, duration): duration', ([a, b]) => durationOf(nanosOf(a) + nanosOf(b))),
  overload('subtract_timestamp_timestamp', '_-_(timestamp, timestamp): duration', ([a, b]) => durationOf(nanosOf(a) - nanosOf(b))),
  overload('subtract_timestamp_duration', '_-_(timestamp, duration): timestamp', ([a, b]) => timestampOf(nanosOf(a) - nanosOf(b))),
  overload('subtract_duration_duration', '_-_(duration, duration): duration', ([a, b]) => durationOf(nanosOf(a) - nanosOf(b))),
]

function dayOfYear(date: Date): number {
  return (Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()) - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000
}

const parts: readonly [string, (date: Date) => number][] = [
  ['getFullYear', (date) => date.getUTCFullYear()],
  ['getMonth', (date) => date.getUTCMonth()],
  ['getDayOfYear', dayOfYear],
  ['getDate', (date) => date.getUTCDate()],
  ['getDayOfMonth', (date) => date.getUTCDate() - 1],
  ['getDayOfWeek', (date) => date.getUTCDay()],
  ['getHours', (date) => date.getUTCHours()],
  ['getMinutes', (date) => date.getUTCMinutes()],
  ['getSeconds', (date) => date.getUTCSeconds()],
  ['getMilliseconds', (date) => date.getUTCMilliseconds()],
]

const ofTimestamps: readonly Overload[] = parts.flatMap(([name, part]) => [
  overload(`timestamp_${name}`, `timestamp.${name}(): int`, ([time]) => BigInt(part(inZone(time as CelTimestamp, undefined)))),
  overload(`timestamp_${name}_tz`, `timestamp.${name}(string): int`, ([time, zone], budget) => {
    // Time zones take their time.
    budget.work(40)
    return BigInt(part(inZone(time as CelTimestamp, zone as string)))
  }),
])

const units: readonly [string, bigint][] = [
  ['getHours', 3_600_000_000_000n],
  ['getMinutes', 60_000_000_000n],
  ['getSeconds', 1_000_000_000n],
]

const ofDurations: readonly Overload[] = [
  ...units.map(([name, unit]) => overload(`duration_${name}`, `duration.${name}(): int`, ([value]) => nanosOf(value) / unit)),
  overload('duration_getMilliseconds', 'duration.getMilliseconds(): int', ([value]) => nanosOf(value) / 1_000_000n),
]

/** Functions of times and durations. */
export const times: readonly Overload[] = [...arithmetic, ...ofTimestamps, ...ofDurations]
