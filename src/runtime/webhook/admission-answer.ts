import type { StatusError } from '#apimachinery/errors.ts'
import type { JsonPatchOperation } from '#client/client.ts'
import type { AdmissionRequest } from '#api/admission/v1/admission-review.ts'

/** Decision of an admission handler. */
export type AdmissionAnswer = AdmissionNotes &
  (
    | { readonly allowed: true; /** Changes to the object. */ readonly patch?: readonly JsonPatchOperation[] }
    | { readonly allowed: false; /** Why not, as the client shall see it. */ readonly error: StatusError }
  )

/** Parts common to all decisions. */
interface AdmissionNotes {
  /** Messages for the client. */
  readonly warnings?: readonly string[]
  readonly auditAnnotations?: Readonly<Record<string, string>>
}

/**
 * Decides about one request. Throwing a StatusError refuses it; any other error is a failure, and
 * the webhook's failure policy decides.
 */
export type AdmissionHandler = (request: AdmissionRequest) => Promise<AdmissionAnswer>
