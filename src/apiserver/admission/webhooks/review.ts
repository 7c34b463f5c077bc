import type { AdmissionResponse, AdmissionReview } from '#api/admission/v1/admission-review.ts'
import { type Status, StatusError } from '#apimachinery/errors.ts'
import { parseExactJson } from '#apimachinery/json/long-integers.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { applyJsonPatch, type JsonPatchOperation } from '#apimachinery/patch/json-patch.ts'
import { validateStructural } from '#apimachinery/structural/validation/validate.ts'
import type { RequestFacts } from '#apiserver/admission/review-request.ts'
import { responseSchema } from './response-schema.ts'

/** The answer of a webhook violates the protocol. */
export class InvalidReview extends Error {
  override readonly name = 'InvalidReview'
}

const apiVersion = 'admission.k8s.io/v1'
/** Builds an AdmissionReview. The objects must be in the version that the webhook matches. */
export function reviewOf(facts: RequestFacts, object: KubeObject | undefined, old: KubeObject | undefined): AdmissionReview {
  return { kind: 'AdmissionReview', apiVersion, request: { ...facts, object: object ?? null, oldObject: old ?? null } }
}

/** Validates an answer. @throws InvalidReview */
export function responseOf(answer: unknown, uid: string): AdmissionResponse {
  if (typeof answer !== 'object' || answer === null) throw new InvalidReview('Answer is not an object')
  const review = answer as Partial<AdmissionReview>
  if (review.kind !== 'AdmissionReview' || review.apiVersion !== apiVersion) {
    throw new InvalidReview(
      `Answer must be an AdmissionReview of ${apiVersion}, but is a ${review.kind ?? 'thing without kind'} of ${review.apiVersion ?? 'no version'}`,
    )
  }
  const { response } = review
  if (response === undefined || response === null) throw new InvalidReview('Answer has no response')
  if (response.uid !== uid) throw new InvalidReview(`Answer must be for uid "${uid}", but is for "${String(response.uid)}"`)
  const [fault] = validateStructural(response, responseSchema)
  if (fault !== undefined) throw new InvalidReview(`Answer is malformed: response.${fault.field}: ${fault.message}`)
  return response
}

/** Builds the error for a refusal. Code, reason and details of the webhook are kept. */
export function denial(webhook: string, response: AdmissionResponse): StatusError {
  const said = (response.status ?? {}) as Partial<Status>
  const deniedBy = `admission webhook "${webhook}" denied the request`
  const message = said.message || said.reason
  return new StatusError({
    ...said,
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: message === undefined || message === '' ? `${deniedBy} without explanation` : `${deniedBy}: ${message}`,
    code: isFailure(said.code) ? said.code : 400,
  })
}

/** Codes outside 400 to 599 cannot be the code of an error. */
function isFailure(code: number | null | undefined): code is number {
  return code !== undefined && code !== null && code >= 400 && code < 600
}

/** Applies a mutating webhook's patch; undefined when there is none. @throws InvalidReview */
export function patched(object: KubeObject, response: AdmissionResponse): KubeObject | undefined {
  const { patch, patchType } = response
  if (patch === undefined || patch === null || patch === '') {
    if ((patchType ?? '') !== '') throw new InvalidReview('Answer has a patchType but no patch')
    return undefined
  }
  if (patchType !== 'JSONPatch') throw new InvalidReview(`Answer has a patch of type "${String(patchType)}": must be "JSONPatch"`)
  const operations = parsePatch(patch)
  if (operations.length === 0) return undefined
  try {
    return applyJsonPatch(object, operations) as KubeObject
  } catch (error) {
    throw new InvalidReview(`Patch does not apply: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}

function parsePatch(text: string): readonly JsonPatchOperation[] {
  try {
    const operations: unknown = parseExactJson(Buffer.from(text, 'base64').toString())
    if (Array.isArray(operations)) return operations as JsonPatchOperation[]
  } catch (error) {
    throw new InvalidReview('Patch is not base64 of JSON', { cause: error })
  }
  throw new InvalidReview('Patch is not a list of operations')
}
