import { headerOf, type RequestHeaders } from '#apiserver/http/exchange.ts'

/** The only value of a header, or the first; undefined for an empty one. */
export function valueOf(headers: RequestHeaders, name: string): string | undefined {
  const value = headerOf(headers, name)
  return value === '' ? undefined : value
}

/** All values of a header that may be sent several times. A comma is part of a value. */
export function valuesOf(headers: RequestHeaders, name: string): readonly string[] {
  return [headers[name] ?? []].flat()
}

function unescape(key: string): string {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}

/**
 * The headers that begin with `prefix`, by what follows it. Keys are lower-case and percent-encoded
 * where header names do not allow a character.
 */
export function extraOf(headers: RequestHeaders, prefix: string): Readonly<Record<string, readonly string[]>> {
  const names = Object.keys(headers).filter((name) => name.startsWith(prefix) && name.length > prefix.length)
  return Object.fromEntries(names.map((name) => [unescape(name.slice(prefix.length)).toLowerCase(), valuesOf(headers, name)]))
}
