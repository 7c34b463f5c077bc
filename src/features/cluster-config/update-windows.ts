/**
 * A weekly time window, in minutes since the beginning of Monday, UTC. An end before the begin is
 * in the next week.
 */
export interface Window {
  readonly from: number
  readonly to: number
}

const days = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
const minuteMs = 60_000
const dayMinutes = 24 * 60
const weekMinutes = 7 * dayMinutes
/** The epoch was on a Thursday. */
const epochMinute = 3 * dayMinutes

/** The text of a window is invalid. */
export class WindowInvalid extends RangeError {
  override readonly name = 'WindowInvalid'
}

/**
 * Reads `Mon-Fri 22:00-04:00; Sun 00:00-24:00`: days, and a span of time in UTC that may go past
 * midnight. @throws WindowInvalid
 */
export function parseWindows(text: string): Window[] {
  return text
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .flatMap(parseWindow)
}

/** Returns the error of a text of windows; undefined when it is valid. */
export function windowsProblem(text: string): string | undefined {
  try {
    parseWindows(text)
    return undefined
  } catch (error) {
    if (error instanceof WindowInvalid) return error.message
    throw error
  }
}

function parseWindow(text: string): Window[] {
  const [, first, last, begin, end] = /^(\w{3})(?:-(\w{3}))? (\d\d:\d\d)-(\d\d:\d\d)$/.exec(text) ?? []
  const [from, to] = [dayOf(first), dayOf(last ?? first)]
  const [beginMinute, endMinute] = [minuteOf(begin), minuteOf(end)]
  if (
    from < 0 ||
    to < 0 ||
    beginMinute === undefined ||
    endMinute === undefined ||
    beginMinute === endMinute ||
    beginMinute === dayMinutes
  ) {
    throw new WindowInvalid(`Window "${text}" must be like "Mon-Fri 22:00-04:00" or "Sun 00:00-24:00", in UTC`)
  }
  const length = (endMinute - beginMinute + dayMinutes) % dayMinutes || dayMinutes
  const count = ((to - from + 7) % 7) + 1
  return Array.from({ length: count }, (_, index) => {
    const start = ((from + index) % 7) * dayMinutes + beginMinute
    return { from: start, to: (start + length) % weekMinutes }
  })
}

function dayOf(name: string | undefined): number {
  return days.indexOf(name ?? '')
}

function minuteOf(text: string | undefined): number | undefined {
  const [hour = NaN, minute = NaN] = (text ?? '').split(':').map(Number)
  return hour * 60 + minute <= dayMinutes && minute < 60 ? hour * 60 + minute : undefined
}

/** State of the windows, and the time of the next change, in milliseconds since the epoch. */
export interface WindowState {
  readonly isOpen: boolean
  readonly changesAt: number
}

/**
 * Reports whether a window is open, and when that changes; never without windows, which are always
 * open. Times are milliseconds since the epoch.
 */
export function windowAt(windows: readonly Window[], nowMs: number): WindowState {
  if (windows.length === 0) return { isOpen: true, changesAt: Infinity }
  const isOpen = isWithin(windows, nowMs)
  const edges = windows.flatMap(({ from, to }) => [nextAt(from, nowMs), nextAt(to, nowMs)]).toSorted((a, b) => a - b)
  return { isOpen, changesAt: edges.find((edge) => isWithin(windows, edge) !== isOpen) ?? Infinity }
}

function isWithin(windows: readonly Window[], ms: number): boolean {
  const at = minuteOfWeek(ms)
  return windows.some(({ from, to }) => (from < to ? from <= at && at < to : at >= from || at < to))
}

function nextAt(minute: number, nowMs: number): number {
  const ahead = (minute - minuteOfWeek(nowMs) + weekMinutes) % weekMinutes || weekMinutes
  return nowMs + ahead * minuteMs
}

function minuteOfWeek(ms: number): number {
  return (ms / minuteMs + epochMinute) % weekMinutes
}
