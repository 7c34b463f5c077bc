import { StatusError } from '#apimachinery/errors.ts'
import type { Status, StatusReason } from '#apimachinery/errors.ts'

const reasons: Readonly<Record<number, StatusReason>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Gone',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
}

/** Reports whether a decoded body is a Status object. */
export function isStatus(value: unknown): value is Status {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'Status' && 'status' in value
}

/**
 * Returns the error of a failed response. Proxies answer without a Status: then it is derived from
 * the HTTP code.
 */
export function failureOf(code: number, body: string): StatusError {
  const parsed = parseOrUndefined(body)
  if (isStatus(parsed)) return new StatusError({ ...parsed, code: parsed.code ?? code })
  const text = body.trim().slice(0, 512)
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: text === '' ? `the server answered ${code} without a body` : `the server answered ${code}: ${text}`,
    reason: reasons[code] ?? (code >= 500 ? 'InternalError' : ''),
    code,
  })
}

function parseOrUndefined(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
