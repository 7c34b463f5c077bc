import type { RequestHeaders } from './exchange.ts'

/** Reports whether a header sets the user or an impersonated user. */
function isIdentity(name: string): boolean {
  return name.startsWith('impersonate-') || name.startsWith('x-remote-')
}

/** Header values are bytes that Node decodes as Latin-1; user names are UTF-8. */
function decoded(value: string): string {
  if (!/[\u0080-\u00ff]/.test(value) || /[^\0-\u00ff]/.test(value)) return value
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'latin1'))
  } catch {
    return value
  }
}

/**
 * Separates repeated identity headers, which Node joins with a comma: a group with a comma in its
 * name would become two groups. `raw` alternates names and values. Returns the same object when
 * there are none, which is nearly always.
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
