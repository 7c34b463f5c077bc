import { StatusError, type StatusCause } from '#apimachinery/errors.ts'
import type { AdmissionAnswer } from '#runtime/webhook/admission-answer.ts'

/** Number of causes that are listed; the rest is counted. */
const mostCauses = 10

/**
 * Returns the response for these causes, in KubeVirt's format; allows the request without causes.
 */
export function answerFor(causes: readonly StatusCause[], warnings: readonly string[]): AdmissionAnswer {
  if (causes.length === 0) return { allowed: true, warnings }
  const listed = causes.slice(0, mostCauses)
  const more = causes.length - listed.length
  const message = listed.map((cause) => cause.message).join(', ') + (more > 0 ? `, and ${more} more validation errors` : '')
  const error = new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason: 'Invalid',
    code: 422,
    details: { causes: listed },
  })
  return { allowed: false, error, warnings }
}
