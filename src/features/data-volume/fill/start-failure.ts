import { isAlreadyExists, isConflict, isForbidden, isInvalid, StatusError } from '#apimachinery/errors.ts'
import type { FillWait } from './decide-fill.ts'

/**
 * Returns why a pod cannot be created. Undefined if an earlier pass has created it, whose event
 * follows. Pure. @throws the error if the same request may succeed later
 */
export function startFailureOf(error: unknown, what: string): FillWait | undefined {
  if (isAlreadyExists(error)) return undefined
  if (!(error instanceof StatusError) || isConflict(error) || !(isForbidden(error) || isInvalid(error))) throw error
  const reason = error.message.includes('exceeded quota') ? 'ErrExceededQuota' : 'ErrStartingPod'
  return { reason, message: `${what} cannot be created: ${error.message}` }
}
