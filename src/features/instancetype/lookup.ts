import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import type { InformerSet } from '#runtime/cache/informer-set.ts'

/** Reads from caches, with the API as fallback. */
export interface Lookup {
  readonly client: Pick<Client, 'get'>
  /** Returns the cached object, which may be missing although it exists. Absent in admission. */
  cached?<T extends KubeObject>(resource: ResourceType<T>, namespace: string, name: string): T | undefined
}

/** Returns a lookup in the caches of a process. */
export function lookupIn(informers: InformerSet, client: Lookup['client']): Lookup {
  return { client, cached: (resource, namespace, name) => informers.informer(resource).get(namespace, name) }
}

/** Gets an object, from the cache if possible. @throws StatusError, NotFound among others */
export async function lookUp<T extends KubeObject>(lookup: Lookup, resource: ResourceType<T>, namespace: string, name: string): Promise<T> {
  const scope = resource.namespaced ? namespace : ''
  const cached = lookup.cached?.(resource, scope, name)
  return cached ?? (await lookup.client.get(resource, resource.namespaced ? { namespace, name } : { name }))
}

/** A resolved object. Without revision it is the live one. */
export interface Found<T> {
  readonly object: T
  readonly revision?: ControllerRevision
  /** Name of the deleted revision that held the same. */
  readonly lost?: string
}
