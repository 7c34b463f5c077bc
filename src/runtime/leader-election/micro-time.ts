/** Formats RFC 3339 with microseconds, the format of `MicroTime` fields. */
export function microTime(nowMs: number): string {
  return new Date(nowMs).toISOString().replace(/Z$/, '000Z')
}
