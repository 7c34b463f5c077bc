import { StatusError } from '#apimachinery/errors.ts'

/** Reports whether a write failed because its namespace is terminating. */
export function isNamespaceTerminating(error: unknown): boolean {
  return error instanceof StatusError && error.status.details?.causes?.some((cause) => cause.reason === 'NamespaceTerminating') === true
}
