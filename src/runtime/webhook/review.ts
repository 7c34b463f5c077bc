import { badRequest, StatusError } from '#apimachinery/errors.ts'
import type { AdmissionRequest, AdmissionResponse, AdmissionReview, AdmissionStatus } from '#api/admission/v1/admission-review.ts'
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { validateStructural } from '#apimachinery/structural/validation/validate.ts'
import type { AdmissionAnswer } from './admission-answer.ts'
import { parseReview } from './parse-review.ts'
import { requestSchema } from './review-schema.ts'

const apiVersion = 'admission.k8s.io/v1'

/**
 * Decodes the request of an AdmissionReview. @throws StatusError (400) that names the malformed
 * field
 */
export function decodeReview(body: string): AdmissionRequest {
  const { request } = parseReview<AdmissionReview>(body, 'AdmissionReview', apiVersion)
  const [fault] = validateStructural(request, requestSchema)
  if (request === undefined || fault !== undefined) throw malformed(fault?.field ?? '', fault?.message ?? 'Required value')
  const { operation, object = null, oldObject = null } = request
  if (operation !== 'DELETE' && object === null) throw malformed('object', 'Required value')
  if ((operation === 'DELETE' || operation === 'UPDATE') && oldObject === null) throw malformed('oldObject', 'Required value')
  return request
}

/**
 * Finds the field of the request's objects that contradicts their schema. The API server sends only
 * valid objects; anything else comes from a client that calls the webhook directly.
 */
export function malformedObject({ object, oldObject }: AdmissionRequest, schema: StructuralSchema): StatusError | undefined {
  for (const [name, value] of Object.entries({ object, oldObject })) {
    if (value === undefined || value === null) continue
    const [fault] = validateStructural(value, schema)
    if (fault !== undefined) return malformed(`${name}.${fault.field}`, fault.message)
  }
  return undefined
}

function malformed(field: string, message: string): StatusError {
  return badRequest(`the AdmissionReview is malformed: request${field === '' ? '' : `.${field}`}: ${message}`)
}

/** Wraps an answer into an AdmissionReview response. */
export function encodeReview(uid: string, answer: AdmissionAnswer): AdmissionReview {
  const response: AdmissionResponse = {
    uid,
    allowed: answer.allowed,
    ...(answer.allowed ? patchOf(answer.patch) : { status: statusOf(answer.error) }),
    ...(answer.warnings === undefined || answer.warnings.length === 0 ? {} : { warnings: [...answer.warnings] }),
    ...(answer.auditAnnotations === undefined ? {} : { auditAnnotations: { ...answer.auditAnnotations } }),
  }
  return { apiVersion, kind: 'AdmissionReview', response }
}

function patchOf(patch: readonly unknown[] | undefined): Pick<AdmissionResponse, 'patch' | 'patchType'> {
  if (patch === undefined || patch.length === 0) return {}
  return { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') }
}

function statusOf(error: StatusError): AdmissionStatus {
  const { code, message, reason, details } = error.status
  return {
    ...(code === undefined ? {} : { code }),
    ...(message === undefined ? {} : { message }),
    ...(reason === undefined ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
  }
}
