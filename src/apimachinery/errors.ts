/** Machine-readable `reason` of a failed request. */
export type StatusReason =
  | 'BadRequest'
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'MethodNotAllowed'
  | 'NotAcceptable'
  | 'AlreadyExists'
  | 'Conflict'
  | 'Gone'
  | 'Expired'
  | 'RequestEntityTooLarge'
  | 'UnsupportedMediaType'
  | 'Invalid'
  | 'TooManyRequests'
  | 'InternalError'
  | 'ServerTimeout'
  | 'ServiceUnavailable'
  | 'Timeout'
  | ''

/** One field-level reason inside a failed request. */
export interface StatusCause {
  reason: string
  message: string
  field?: string
}

/**
 * `details` of a Status. `kind` is the plural resource, except for Invalid, where it is the Kind.
 */
export interface StatusDetails {
  name?: string
  group?: string
  kind?: string
  uid?: string
  causes?: StatusCause[]
  retryAfterSeconds?: number
}

/** `meta.k8s.io/v1` Status: the body of every failed request. */
export interface Status {
  kind: 'Status'
  apiVersion: 'v1'
  metadata: { continue?: string }
  status: 'Success' | 'Failure'
  message?: string
  reason?: StatusReason
  details?: StatusDetails
  code?: number
}

/** A request failed with a Status. Thrown by the API server and by every client. */
export class StatusError extends Error {
  override readonly name = 'StatusError'
  readonly status: Status
  constructor(status: Status, options?: ErrorOptions) {
    super(status.message ?? status.reason ?? 'unknown error', options)
    this.status = status
  }
  get reason(): StatusReason {
    return this.status.reason ?? ''
  }
  get code(): number {
    return this.status.code ?? 500
  }
}

/** Object of an error: plural resource, group, and name. */
export interface ErrorSubject {
  group: string
  plural: string
}

function failure(code: number, reason: StatusReason, message: string, details?: StatusDetails): StatusError {
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    ...(details === undefined ? {} : { details }),
    code,
  })
}

function detailsOf(subject: ErrorSubject, name: string): StatusDetails {
  return { ...(name === '' ? {} : { name }), ...(subject.group === '' ? {} : { group: subject.group }), kind: subject.plural }
}

function display(subject: ErrorSubject): string {
  return subject.group === '' ? subject.plural : `${subject.plural}.${subject.group}`
}

/** 400: the request cannot be understood. */
export function badRequest(message: string): StatusError {
  return failure(400, 'BadRequest', message)
}
/** 401: no valid credential. */
export function unauthorized(): StatusError {
  return failure(401, 'Unauthorized', 'Unauthorized')
}
/** 403: understood, refused. */
export function forbidden(subject: ErrorSubject, name: string, why: string): StatusError {
  const what = name === '' ? display(subject) : `${display(subject)} "${name}"`
  return failure(403, 'Forbidden', `${what} is forbidden: ${why}`, detailsOf(subject, name))
}
/** 403: a request for no resource, understood, refused. */
export function forbiddenPath(why: string): StatusError {
  return failure(403, 'Forbidden', `forbidden: ${why}`, {})
}
/** 404: no such object. */
export function notFound(subject: ErrorSubject, name: string): StatusError {
  return failure(404, 'NotFound', `${display(subject)} "${name}" not found`, detailsOf(subject, name))
}
/** 404: no such path. */
export function pathNotFound(): StatusError {
  return failure(404, 'NotFound', 'the server could not find the requested resource', {})
}
/** 405: the resource exists, the verb does not. */
export function methodNotAllowed(subject: ErrorSubject, verb: string): StatusError {
  return failure(405, 'MethodNotAllowed', `${verb} is not supported on resources of kind "${display(subject)}"`, detailsOf(subject, ''))
}
/** 501: the resource is known, and not served. */
export function notImplemented(message: string): StatusError {
  return failure(501, '', message)
}
/** 406: none of the accepted media types can be produced. */
export function notAcceptable(accepted: readonly string[]): StatusError {
  return failure(406, 'NotAcceptable', `only the following media types are accepted: ${accepted.join(', ')}`)
}
/** 409: the name is taken. */
export function alreadyExists(subject: ErrorSubject, name: string): StatusError {
  return failure(409, 'AlreadyExists', `${display(subject)} "${name}" already exists`, detailsOf(subject, name))
}
/** 409: the object was changed by another client. */
export function conflict(
  subject: ErrorSubject,
  name: string,
  why: string = 'the object has been modified; please apply your changes to the latest version and try again',
): StatusError {
  return failure(409, 'Conflict', `Operation cannot be fulfilled on ${display(subject)} "${name}": ${why}`, detailsOf(subject, name))
}
/** 410: the requested resourceVersion is no longer kept. */
export function expired(message: string): StatusError {
  return failure(410, 'Expired', message)
}
/** 413: the body is larger than the server takes. */
export function requestEntityTooLarge(limitBytes: number): StatusError {
  return failure(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${limitBytes}`)
}
/** 415: the body's format is not known. */
export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  return failure(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  )
}
/** 500: the server failed. */
export function internalError(message: string, cause?: unknown): StatusError {
  const error = failure(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ reason: '', message }] })
  return cause === undefined ? error : new StatusError(error.status, { cause })
}
/** 500 without a reason, as kube-apiserver reports errors that have no status of their own. */
export function unknownError(message: string): StatusError {
  return failure(500, '', message)
}
/** 503: something that the answer would come from cannot be reached. */
export function serviceUnavailable(message: string): StatusError {
  return failure(503, 'ServiceUnavailable', message)
}
/** 504 for a revision that lies in the future. */
export function tooLargeResourceVersion(wanted: number, current: number): StatusError {
  return failure(504, 'Timeout', `Timeout: Too large resource version: ${wanted}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  })
}
/** 429: too many requests right now. */
export function tooManyRequests(message: string, retryAfterSeconds: number): StatusError {
  return failure(429, 'TooManyRequests', message, { retryAfterSeconds })
}

/**
 * A field-level validation error, `reason` as in Kubernetes: FieldValueRequired, FieldValueInvalid,
 * FieldValueTypeInvalid …
 */
export interface FieldError {
  reason:
    | 'FieldValueNotFound'
    | 'FieldValueRequired'
    | 'FieldValueDuplicate'
    | 'FieldValueInvalid'
    | 'FieldValueNotSupported'
    | 'FieldValueForbidden'
    | 'FieldValueTooLong'
    | 'FieldValueTooMany'
    | 'FieldValueTypeInvalid'
  /** Path such as `spec.cpu.guest` or `spec.disks[0].name`. */
  field: string
  /** Without the field path: `Required value`, `Invalid value: -1: should be …`. */
  message: string
}

/** 422: the object's fields are wrong. The message lists each as `<field>: <message>`. */
export function invalid(kind: { group: string; kind: string }, name: string, errors: readonly FieldError[]): StatusError {
  const lines = errors.map((error) => `${error.field}: ${error.message}`)
  const text = lines.length === 1 ? (lines[0] ?? '') : `[${lines.join(', ')}]`
  const qualified = kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`
  return failure(422, 'Invalid', `${qualified} "${name}" is invalid: ${text}`, {
    ...(name === '' ? {} : { name }),
    ...(kind.group === '' ? {} : { group: kind.group }),
    kind: kind.kind,
    causes: errors.map((error) => ({ reason: error.reason, message: error.message, field: error.field })),
  })
}

function hasReason(error: unknown, ...reasons: StatusReason[]): boolean {
  return error instanceof StatusError && reasons.includes(error.reason)
}
/** Reports whether the object does not exist. */
export function isNotFound(error: unknown): boolean {
  return hasReason(error, 'NotFound')
}
/** Reports whether the name is taken. */
export function isAlreadyExists(error: unknown): boolean {
  return hasReason(error, 'AlreadyExists')
}
/** Reports whether another client changed the object first. */
export function isConflict(error: unknown): boolean {
  return hasReason(error, 'Conflict')
}
/** Reports whether the client is not authorized. */
export function isForbidden(error: unknown): boolean {
  return hasReason(error, 'Forbidden')
}
/** Reports whether the content of the object was refused. */
export function isInvalid(error: unknown): boolean {
  return hasReason(error, 'Invalid')
}
/** Reports whether a watch or a paged list must start over from a new list. */
export function isExpired(error: unknown): boolean {
  return hasReason(error, 'Expired', 'Gone')
}

/** Returns the message of a value that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
