import { isNotFound } from '#apimachinery/errors.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { apiVersionOf } from '#apimachinery/meta/resource-type.ts'
import type { RequestContext, Target, Verbs } from '#apiserver/request/api-request.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import type { ObjectStore } from '#apiserver/storage/object-store.ts'

/** Number of concurrent deletes, which share commits. */
const width = 64

/**
 * Deletes all objects of a definition through admission and in the stored version, as a conversion
 * webhook is often gone before them. Returns the number of objects with finalizers. @throws when
 * one cannot be deleted
 */
export async function deleteInstances(
  { store, verbs }: { readonly store: ObjectStore; readonly verbs: Verbs },
  versions: readonly ResourceDefinition[],
  context: RequestContext,
): Promise<number> {
  const [any] = versions
  if (any === undefined) return 0
  const asked = store.list(any.storageKey).filter(({ object }) => !isBeingDeleted(object))
  for (let start = 0; start < asked.length; start += width) {
    const batch = asked.slice(start, start + width)
    await Promise.all(batch.map(({ object }) => deleteOne(verbs, targetOf(versions, any, object), context)))
  }
  return store.list(any.storageKey).length
}

function targetOf(versions: readonly ResourceDefinition[], any: ResourceDefinition, { apiVersion, metadata }: KubeObject): Target {
  const definition = versions.find((version) => apiVersionOf(version) === apiVersion) ?? any
  return {
    definition: { ...definition, storageApiVersion: apiVersionOf(definition) },
    namespace: metadata?.namespace ?? '',
    name: metadata?.name ?? '',
    subresource: '',
  }
}

async function deleteOne(verbs: Verbs, target: Target, context: RequestContext): Promise<void> {
  try {
    await verbs.delete(target, { dryRun: false }, context)
  } catch (error) {
    // Another request deleted it first.
    if (!isNotFound(error)) throw error
  }
}
