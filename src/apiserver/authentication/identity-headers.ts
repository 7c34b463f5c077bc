import { headerOf, type RequestHeaders } from '#apiserver/http/exchange.ts'

/** Returns the first value of a header; undefined for an empty one. */
export function valueOf(headers: RequestHeaders, name: string): string | undefined {
  const value = headerOf(headers, name)
  return value === '' ? undefined : value
}

/** Returns all values of a repeated header. Commas are part of a value. */
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

/** Returns headers with a prefix by the rest of their name, percent-decoded. */
export function extraOf(headers: RequestHeaders, prefix: string): Readonly<Record<string, readonly string[]>> {
  const names = Object.keys(headers).filter((name) => name.startsWith(prefix) && name.length > prefix.length)
  return Object.fromEntries(names.map((name) => [unescape(name.slice(prefix.length)).toLowerCase(), valuesOf(headers, name)]))
}
