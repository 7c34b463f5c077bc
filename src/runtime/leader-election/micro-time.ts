/** RFC 3339 with microseconds, as `MicroTime` fields want it. */
export function microTime(nowMs: number): string {
  return new Date(nowMs).toISOString().replace(/Z$/, '000Z')
}
