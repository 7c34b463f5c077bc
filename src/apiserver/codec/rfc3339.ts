let latest = { second: Number.NaN, text: '' }

/** RFC 3339 with second precision, as metadata carries times. */
export function rfc3339(nowMs: number): string {
  const second = Math.floor(nowMs / 1000)
  // Every write asks for it, thousands of times in the same second.
  if (second !== latest.second) latest = { second, text: `${new Date(second * 1000).toISOString().slice(0, -'.000Z'.length)}Z` }
  return latest.text
}
