import { deepEqual } from '#apimachinery/equality.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { Target } from '#apiserver/request/api-request.ts'
import { withMetadata } from '#apiserver/codec/metadata.ts'

/**
 * Increments generation when anything outside metadata changed, and outside status where that is a
 * subresource.
 */
export function withGeneration({ definition, subresource }: Target, object: KubeObject, old: KubeObject): KubeObject {
  if (!definition.hasGeneration || subresource === 'status') return object
  if (deepEqual(desired(object, definition.hasStatus), desired(old, definition.hasStatus))) return object
  return withMetadata(object, { ...object.metadata, generation: (old.metadata?.generation ?? 0) + 1 })
}

function desired(object: KubeObject, hasStatus: boolean): object {
  const { apiVersion: _apiVersion, kind: _kind, metadata: _metadata, ...content } = object
  if (!hasStatus) return content
  const { status: _status, ...rest } = content as { status?: unknown }
  return rest
}
