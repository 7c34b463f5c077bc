import { StatusError } from '#apimachinery/errors.ts'

/** Whether a write failed because its namespace is going away. */
export function isNamespaceTerminating(error: unknown): boolean {
  return error instanceof StatusError && error.status.details?.causes?.some((cause) => cause.reason === 'NamespaceTerminating') === true
}
