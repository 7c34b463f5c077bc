import { CelError } from '../errors.ts'
import { type CelDuration, type CelTimestamp, durationValue, timestampValue } from './values.ts'

const second = 1_000_000_000n

const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: second,
  m: 60n * second,
  h: 3600n * second,
}

const maxDuration = 2n ** 63n - 1n
const durationPart = /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/y

/** Reads a duration as Go writes it: `1h2m3.5s`. @throws CelError when it is none */
export function parseDuration(text: string): CelDuration {
  const invalid = (): CelError => new CelError(`time: invalid duration ${JSON.stringify(text)}`)
  const negative = text.startsWith('-')
  const body = /^[+-]/.test(text) ? text.slice(1) : text
  if (body === '0') return durationValue(0n)
  if (body === '' || body.length > 128) throw invalid()
  let nanos = 0n
  durationPart.lastIndex = 0
  while (durationPart.lastIndex < body.length) {
    const [, whole = '', fraction = '', unit = ''] = durationPart.exec(body) ?? []
    if (unit === '' || (whole === '' && fraction === '')) throw invalid()
    const factor = units[unit] ?? 1n
    nanos += BigInt(whole === '' ? '0' : whole) * factor
    if (fraction !== '') nanos += (BigInt(fraction) * factor) / 10n ** BigInt(fraction.length)
    if (nanos > maxDuration) throw invalid()
  }
  return durationValue(negative ? -nanos : nanos)
}

/** The same in whole milliseconds, rounded down; undefined when it is none. */
export function durationMs(text: string): number | undefined {
  try {
    const { nanos } = parseDuration(text)
    return Number((nanos < 0n ? nanos - 999_999n : nanos) / 1_000_000n)
  } catch {
    return undefined
  }
}

/** A duration as CEL prints it: in seconds. */
export function formatDuration({ nanos }: CelDuration): string {
  const sign = nanos < 0n ? '-' : ''
  const size = nanos < 0n ? -nanos : nanos
  return `${sign}${size / second}${fractionOf(size % second)}s`
}

function fractionOf(nanos: bigint): string {
  return nanos === 0n ? '' : `.${nanos.toString().padStart(9, '0').replace(/0+$/, '')}`
}

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9})\d*)?([Zz]|[+-]\d\d:\d\d)$/
const minSeconds = -62_135_596_800n
const maxSeconds = 253_402_300_799n

/** Reads a time as RFC 3339 writes it. @throws CelError when it is none */
export function parseTimestamp(text: string): CelTimestamp {
  const match = rfc3339.exec(text)
  const milliseconds = match === null ? Number.NaN : Date.parse(`${text.slice(0, 19).toUpperCase()}${(match[8] ?? 'Z').toUpperCase()}`)
  if (Number.isNaN(milliseconds) || !isRealDay(match)) throw new CelError(`invalid timestamp ${JSON.stringify(text)}`)
  return timestampOf(BigInt(milliseconds) * 1_000_000n + BigInt((match?.[7] ?? '').padEnd(9, '0')))
}

/** Date.parse accepts February 31. */
function isRealDay(match: RegExpExecArray | null): boolean {
  const [, year = '', month = '', day = '', hour = ''] = match ?? []
  return Number(hour) < 24 && Number(day) >= 1 && Number(day) <= new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()
}

/** @throws CelError when the time is before year 1 or after year 9999 */
export function timestampOf(nanos: bigint): CelTimestamp {
  const seconds = nanos / second
  if (seconds < minSeconds || seconds > maxSeconds) throw new CelError('timestamp overflow')
  return timestampValue(nanos)
}

/** @throws CelError when the duration is longer than 64 bits of nanoseconds */
export function durationOf(nanos: bigint): CelDuration {
  if (nanos > maxDuration || nanos < -maxDuration - 1n) throw new CelError('integer overflow')
  return durationValue(nanos)
}

/** A time as RFC 3339 writes it, in UTC. */
export function formatTimestamp({ nanos }: CelTimestamp): string {
  const fraction = ((nanos % second) + second) % second
  const whole = new Date(Number((nanos - fraction) / 1_000_000n)).toISOString().slice(0, 19)
  return `${whole}${fractionOf(fraction)}Z`
}

const offsetZone = /^([+-]?)(\d\d):(\d\d)$/

/**
 * The date and clock of a time in a zone, as if it were UTC; zones are names or `+01:30`. @throws
 * CelError for an unknown zone
 */
export function inZone({ nanos }: CelTimestamp, zone: string | undefined): Date {
  const fraction = ((nanos % second) + second) % second
  const milliseconds = Number((nanos - (fraction % 1_000_000n)) / 1_000_000n)
  if (zone === undefined || zone === '' || zone === 'UTC') return new Date(milliseconds)
  const [, sign, hours, minutes] = offsetZone.exec(zone) ?? []
  if (hours !== undefined) {
    const offset = (Number(hours) * 60 + Number(minutes)) * 60_000
    return new Date(milliseconds + (sign === '-' ? -offset : offset))
  }
  return new Date(`${wallClock(milliseconds, zone)}.${String(milliseconds % 1000).padStart(3, '0')}Z`)
}

const mostClocks = 50
const clocks = new Map<string, Intl.DateTimeFormat>()

/** Clocks are expensive to make. @throws RangeError for an unknown zone */
function clockOf(zone: string): Intl.DateTimeFormat {
  const known = clocks.get(zone)
  if (known !== undefined) return known
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
  if (clocks.size >= mostClocks) clocks.clear()
  clocks.set(zone, clock)
  return clock
}

function wallClock(milliseconds: number, zone: string): string {
  try {
    return clockOf(zone).format(milliseconds).replace(' ', 'T')
  } catch {
    throw new CelError(`unknown time zone ${zone}`)
  }
}
