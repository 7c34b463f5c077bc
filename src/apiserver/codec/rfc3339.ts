let latest = { second: Number.NaN, text: '' }

/** Formats a time in seconds as RFC 3339, as metadata does. */
export function rfc3339(nowMs: number): string {
  const second = Math.floor(nowMs / 1000)
  // Cached, as thousands of writes in a second need the same text.
  if (second !== latest.second) latest = { second, text: `${new Date(second * 1000).toISOString().slice(0, -'.000Z'.length)}Z` }
  return latest.text
}
