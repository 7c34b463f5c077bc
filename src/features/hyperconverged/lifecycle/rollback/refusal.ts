import { StatusError } from '#apimachinery/errors.ts'
import type { Outcome } from '../../reconcile/act.ts'

/** Codes of answers that say nothing about the object. */
const transientCodes: readonly number[] = [401, 404, 408, 409, 429]

/**
 * Reports whether an error is the answer of the API server or of a webhook that an object is not
 * accepted. False for failures of the component's webhook, which the API server answers with 500.
 * It answers so, too, to values that the schema has no place for.
 */
export function isRefusal(error: unknown): error is StatusError {
  if (!(error instanceof StatusError)) return false
  return error.code < 500 ? !transientCodes.includes(error.code) : error.message.startsWith('failed to create typed patch object')
}

/** Reports whether all components have what was decided in a pass. Pure. */
export function isAppliedEverywhere(outcomes: readonly Outcome[]): boolean {
  return outcomes.every(
    ({ decision: { step, problems, isHeld }, error }) =>
      error === undefined && problems.length === 0 && step.kind !== 'wait' && isHeld !== true,
  )
}
