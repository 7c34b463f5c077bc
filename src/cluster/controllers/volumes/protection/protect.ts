import { isNotFound } from '#apimachinery/errors.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'

/** Adds a finalizer to an object, or removes it when the object is being deleted and unused. */
export async function protect<T extends KubeObject>(
  client: Client,
  resource: ResourceType<T>,
  object: T,
  finalizer: string,
  isUsed: () => Promise<boolean> | boolean,
  signal: AbortSignal,
): Promise<void> {
  const { namespace = '', name = '', uid, resourceVersion, finalizers = [] } = object.metadata ?? {}
  const isDeleting = isBeingDeleted(object)
  const has = finalizers.includes(finalizer)
  if (isDeleting !== has) return
  if (isDeleting && (await isUsed())) return
  const next = has ? finalizers.filter((one) => one !== finalizer) : [...finalizers, finalizer]
  const body = { metadata: { uid, resourceVersion, finalizers: next } }
  try {
    await client.patch(resource, namespace === '' ? { name } : { namespace, name }, { type: 'merge', body }, { signal })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
