import type { RequestHeaders } from '#apiserver/front/exchange.ts'

/** All values of a header that may be sent several times. */
export function valuesOf(headers: RequestHeaders, name: string): readonly string[] {
  const value = headers[name]
  if (value === undefined) return []
  // Node joins repeated headers of this kind with a comma. A name with a comma in it is taken for two: each must then be allowed by itself.
  return [value].flat().flatMap((text) => text.split(',').map((item) => item.trim()))
}

function unescape(key: string): string {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}

/** The headers that begin with `prefix`, by what follows it. Keys are lower-case and percent-encoded where header names do not allow a character. */
export function extraOf(headers: RequestHeaders, prefix: string): Readonly<Record<string, readonly string[]>> {
  const names = Object.keys(headers).filter((name) => name.startsWith(prefix) && name.length > prefix.length)
  return Object.fromEntries(names.map((name) => [unescape(name.slice(prefix.length)).toLowerCase(), valuesOf(headers, name)]))
}
