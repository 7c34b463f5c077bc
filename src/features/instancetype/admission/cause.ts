import type { StatusCause } from '#apimachinery/errors.ts'

/** Returns the cause of an invalid field value. */
export function invalid(field: string, message: string): StatusCause {
  return { reason: 'FieldValueInvalid', message, field }
}

/** {@link invalid} with the value in the message, as KubeVirt words it. */
export function outOfRange(field: string, value: unknown, rule: string): StatusCause {
  return invalid(field, `${field} '${String(value)}': ${rule}.`)
}
