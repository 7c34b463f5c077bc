import type { IncomingHttpHeaders } from 'node:http'

/**
 * What identifies exactly these bytes, for `If-Range`: a strong ETag, or a time that lies at least
 * a second before that of the answer (RFC 9110, 8.8.2.2). Undefined when there is none.
 */
export function strongValidator({ etag, 'last-modified': modified, date }: IncomingHttpHeaders): string | undefined {
  if (etag !== undefined) return /^"[\x21\x23-\x7E\x80-\xFF]*"$/.test(etag) ? etag : undefined
  if (modified === undefined || date === undefined) return undefined
  const age = Date.parse(date) - Date.parse(modified)
  return age >= 1000 ? modified : undefined
}

/** Parses `bytes 100-199/200`; the total may be `*`. Undefined for anything else. */
export function parseContentRange(header: string | undefined): { readonly start: number; readonly total?: number } | undefined {
  const [, start, end, total] = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/.exec(header ?? '') ?? []
  if (start === undefined || end === undefined || Number(end) < Number(start)) return undefined
  return total === undefined || total === '*' ? { start: Number(start) } : { start: Number(start), total: Number(total) }
}

/**
 * Reports whether a part of a file may belong to the one with the validator. Servers exist that
 * send a part without regard to `If-Range`.
 */
export function isSameFile({ etag, 'last-modified': modified }: IncomingHttpHeaders, validator: string | undefined): boolean {
  const given = validator?.startsWith('"') === true ? etag : modified
  return given === undefined || given === validator
}
