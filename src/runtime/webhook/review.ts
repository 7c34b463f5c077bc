import { badRequest, StatusError } from '#apimachinery/errors.ts'
import type { AdmissionRequest, AdmissionResponse, AdmissionReview, AdmissionStatus } from '#api/admission/v1/admission-review.ts'
import type { AdmissionAnswer } from './admission-answer.ts'
import { parseReview } from './parse-review.ts'

const apiVersion = 'admission.k8s.io/v1'

/** Takes the question out of a review. @throws StatusError (400) for anything else */
export function decodeReview(body: string): AdmissionRequest {
  const { request } = parseReview<AdmissionReview>(body, 'AdmissionReview', apiVersion)
  if (typeof request?.uid !== 'string' || request.uid === '') throw badRequest('the AdmissionReview must have a request with a uid')
  return request
}

/** Wraps an answer into the review that goes back. */
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
