import { isCreditCard, isIsbn10, isIsbn13 } from './checksum-formats.ts'
import { validateName } from '#apimachinery/meta/name-rules.ts'

function matches(pattern: RegExp): (text: string) => boolean {
  return (text) => pattern.test(text)
}

const date = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/
const dateTime =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])t(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:z|[+-]\d{2}:\d{2})$/i
const daysOfMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const

/** Reports whether the day exists in the month of a text that starts like `2026-02-29`. */
function hasDay(text: string): boolean {
  const day = Number(text.slice(8, 10))
  if (day <= 28) return true
  const year = Number(text.slice(0, 4))
  const month = Number(text.slice(5, 7))
  const leap = month === 2 && ((year % 4 === 0 && year % 100 !== 0) || year % 400 === 0)
  return day <= (daysOfMonth[month - 1] ?? 0) + (leap ? 1 : 0)
}

function isDate(text: string): boolean {
  return date.test(text) && hasDay(text)
}

function isDateTime(text: string): boolean {
  return dateTime.test(text) && hasDay(text)
}

const ipv4 = /^((25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(\.(?!$)|$)){4}$/

/**
 * Returns the number of 16-bit groups on one side of `::`, the last one possibly an IPv4 address;
 * undefined when a group is invalid.
 */
function countGroups(side: string, last: boolean): number | undefined {
  if (side === '') return 0
  const groups = side.split(':')
  const tail = last ? groups.at(-1) : undefined
  const embedded = tail !== undefined && tail.includes('.')
  if (embedded && !ipv4.test(tail)) return undefined
  const hexadecimal = embedded ? groups.slice(0, -1) : groups
  return hexadecimal.every((group) => /^[0-9a-f]{1,4}$/i.test(group)) ? hexadecimal.length + (embedded ? 2 : 0) : undefined
}

function isIpv6(text: string): boolean {
  const sides = text.split('::')
  if (sides.length > 2) return false
  const counts = sides.map((side, index) => countGroups(side, index === sides.length - 1))
  if (counts.includes(undefined)) return false
  const total = counts.reduce((sum: number, count) => sum + (count ?? 0), 0)
  return sides.length === 1 ? total === 8 : total < 8
}

function isCidr(text: string): boolean {
  const slash = text.indexOf('/')
  const address = text.slice(0, slash)
  const prefix = text.slice(slash + 1)
  if (slash < 0 || !/^(0|[1-9]\d{0,2})$/.test(prefix)) return false
  return ipv4.test(address) ? Number(prefix) <= 32 : isIpv6(address) && Number(prefix) <= 128
}

const hostname = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*\.?$/i
const goDuration = /^[+-]?(0|(\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))*)$/
const longDuration =
  /^(\d+\s*(nanoseconds?|nanos?|ns|microseconds?|micros?|us|µs|milliseconds?|millis?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?|w)\s*)+$/i

/**
 * The string formats that the Kubernetes API server enforces, by their names without dashes. A
 * format that is not here is ignored, as there.
 */
export const stringFormats: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['date', isDate],
  ['datetime', isDateTime],
  ['duration', (text) => goDuration.test(text) || longDuration.test(text)],
  ['byte', matches(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/)],
  ['uuid', matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ['uuid3', matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ['uuid4', matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ['uuid5', matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ['ipv4', matches(ipv4)],
  ['ipv6', isIpv6],
  ['cidr', isCidr],
  [
    'mac',
    matches(
      /^([0-9a-f]{2}([:-])[0-9a-f]{2}(\2[0-9a-f]{2}){4}((\2[0-9a-f]{2}){2}|(\2[0-9a-f]{2}){14})?|[0-9a-f]{4}(\.[0-9a-f]{4}){2}((\.[0-9a-f]{4}){1}|(\.[0-9a-f]{4}){7})?)$/i,
    ),
  ],
  ['hostname', (text) => text.length <= 255 && hostname.test(text)],
  ['email', matches(/^([^<>]*<[^@<>\s]+@[^@<>\s]+>|[^@<>\s]+@[^@<>\s]+)$/)],
  ['uri', matches(/^(\/|[a-z][a-z0-9+.-]*:)[^\s]*$/i)],
  ['bsonobjectid', matches(/^[0-9a-f]{24}$/i)],
  ['hexcolor', matches(/^#?([0-9a-f]{3}|[0-9a-f]{6})$/i)],
  ['rgbcolor', matches(/^rgb\(\s*\d{1,3}%?\s*,\s*\d{1,3}%?\s*,\s*\d{1,3}%?\s*\)$/)],
  ['ssn', matches(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/)],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['creditcard', isCreditCard],
  ['password', () => true],
  ['k8sshortname', (text) => validateName(text, 'dns-label').length === 0],
  ['k8slongname', (text) => validateName(text, 'dns-subdomain').length === 0],
])
