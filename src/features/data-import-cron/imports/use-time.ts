/**
 * Parses a time as Go writes it, with up to nine digits of a second, to nanoseconds. Times of
 * different widths are in no order as texts. Pure.
 */
export function nanosecondsOf(text: string | undefined): bigint | undefined {
  const [, seconds, fraction = '', zone] =
    /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(Z|[+-]\d{2}:\d{2})$/.exec(text ?? '') ?? []
  if (seconds === undefined || zone === undefined) return undefined
  const ms = Date.parse(`${seconds}${zone}`)
  return Number.isNaN(ms) ? undefined : BigInt(ms) * 1_000_000n + BigInt(fraction.padEnd(9, '0'))
}

/** Returns a time as CDI writes that of the last use. Pure. */
export function useTime(ms: number): string {
  return new Date(ms).toISOString()
}
