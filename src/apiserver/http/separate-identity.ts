import type { RequestHeaders } from './exchange.ts'

/** Whether a header says who somebody is, or acts as. */
function isIdentity(name: string): boolean {
  return name.startsWith('impersonate-') || name.startsWith('x-remote-')
}

/** Header fields carry bytes, which Node takes for Latin-1; names of people are UTF-8. */
function decoded(value: string): string {
  if (!/[\u0080-\u00ff]/.test(value) || /[^\0-\u00ff]/.test(value)) return value
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'latin1'))
  } catch {
    return value
  }
}

/**
 * Headers in which each value of an identity header stands for itself. Node joins repeated headers
 * with a comma; a group that has a comma in its name would then be two groups, and the second could
 * be anything. `raw` holds names and values in turn. Nearly no request has such headers, and then
 * this is the very same object.
 */
export function separateIdentity(headers: RequestHeaders, raw: readonly string[]): RequestHeaders {
  let found = false
  for (const name in headers) if (isIdentity(name)) found = true
  if (!found) return headers
  const values: Record<string, string[]> = {}
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = (raw[index] ?? '').toLowerCase()
    if (isIdentity(name)) (values[name] ??= []).push(decoded(raw[index + 1] ?? ''))
  }
  return { ...headers, ...values }
}
