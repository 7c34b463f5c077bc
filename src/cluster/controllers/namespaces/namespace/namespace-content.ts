import { isNotFound } from '#apimachinery/errors.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { groupResourceOf, type ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'

/** Objects of one resource that remain in a namespace. */
export interface Remainder {
  /** `pods` or `virtualmachines.kubevirt.io`. */
  readonly resource: string
  readonly count: number
  /** Finalizers that hold objects back, with the number of objects that each holds. */
  readonly finalizers: ReadonlyMap<string, number>
}

/**
 * Deletes all objects of a resource in a namespace that are not being deleted yet. Undefined when
 * none remain.
 */
export async function deleteContent(
  client: Client,
  resource: ResourceType<KubeObject>,
  namespace: string,
  signal: AbortSignal,
): Promise<Remainder | undefined> {
  const { items } = await client.list(resource, { namespace, signal })
  if (items.length === 0) return undefined
  await Promise.all(items.filter(isAlive).map((object) => deleteOne(client, resource, object, signal)))
  const left = (await client.list(resource, { namespace, signal })).items
  return left.length === 0 ? undefined : { resource: groupResourceOf(resource), count: left.length, finalizers: countFinalizers(left) }
}

function isAlive({ metadata }: KubeObject): boolean {
  return !isBeingDeleted({ metadata })
}

async function deleteOne(client: Client, resource: ResourceType<KubeObject>, { metadata }: KubeObject, signal: AbortSignal): Promise<void> {
  const { namespace = '', name = '', uid = '' } = metadata ?? {}
  try {
    await client.delete(resource, { namespace, name }, { propagationPolicy: 'Background', preconditions: { uid }, signal })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

function countFinalizers(objects: readonly KubeObject[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { metadata } of objects)
    for (const finalizer of metadata?.finalizers ?? []) counts.set(finalizer, (counts.get(finalizer) ?? 0) + 1)
  return counts
}
