import { FieldsV1Error } from '#apimachinery/fields/fields-v1.ts'
import type { KubeObject, ManagedFieldsEntry } from '#apimachinery/meta/object-meta.ts'
import type { RequestContext } from '#apiserver/request/api-request.ts'
import { decodeOwnership } from './ownership-codec.ts'

/** Returns the managedFields after admission, or the previous ones when malformed. */
export function admittedManagedFields(
  before: KubeObject,
  after: KubeObject,
  context: RequestContext,
): readonly ManagedFieldsEntry[] | undefined {
  const entries = after.metadata?.managedFields
  try {
    decodeOwnership(entries)
    return entries
  } catch (error) {
    if (!(error instanceof FieldsV1Error)) throw error
    context.warn(
      `.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ${error.message}`,
    )
    return before.metadata?.managedFields
  }
}
