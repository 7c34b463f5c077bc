import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'

/** Cached reads, with the API behind them for what the cache has not seen yet. */
export interface Lookup {
  readonly client: Pick<Client, 'get'>
  /** What the cache knows; undefined for "not there, or not yet". Admission has no caches. */
  cached?<T extends KubeObject>(resource: ResourceType<T>, namespace: string, name: string): T | undefined
}

/** Gets an object, from the cache if it is there. @throws StatusError, NotFound among others */
export async function lookUp<T extends KubeObject>(lookup: Lookup, resource: ResourceType<T>, namespace: string, name: string): Promise<T> {
  const scope = resource.namespaced ? namespace : ''
  const cached = lookup.cached?.(resource, scope, name)
  return cached ?? (await lookup.client.get(resource, resource.namespaced ? { namespace, name } : { name }))
}

/** What a search has found, and in which revision; without revision it is the live object. */
export interface Found<T> {
  readonly object: T
  readonly revision?: ControllerRevision
  /** Name of the revision that held the same and was deleted. */
  readonly lost?: string
}
