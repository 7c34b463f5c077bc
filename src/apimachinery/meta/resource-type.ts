import type { KubeObject } from './object-meta.ts'

/**
 * Names one served resource, with the TypeScript type of its objects as a phantom. Values live in
 * `#api/<group>/<version>/resources.ts`.
 */
export interface ResourceType<T> {
  /** API group; the empty string is the core group. */
  readonly group: string
  readonly version: string
  readonly kind: string
  /** Lower-case plural, as in URLs. */
  readonly plural: string
  readonly namespaced: boolean
  /** False when status is written through the object itself, as for VMIs. Default true. */
  readonly hasStatusSubresource?: false
  /** Never set: carries the object's type to the compiler. */
  readonly object?: T
}

/** `apiVersion` of a resource: `v1`, `apps/v1`. */
export function apiVersionOf(resource: { group: string; version: string }): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`
}

/** Returns the object with apiVersion and kind, which it may omit where its resource is known. */
export function withType<T extends KubeObject>(resource: Pick<ResourceType<T>, 'group' | 'version' | 'kind'>, object: T): T {
  if (object.kind !== undefined && object.apiVersion !== undefined) return object
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, ...object }
}

/** `plural.group`, or just `plural` in the core group: how error messages name a resource. */
export function groupResourceOf(resource: { group: string; plural: string }): string {
  return resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`
}

/** Splits `apps/v1` into group and version; `v1` has the empty group. */
export function parseApiVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf('/')
  return slash < 0 ? { group: '', version: apiVersion } : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) }
}

/** Identifies an object of a known resource. `namespace` is absent for cluster-scoped ones. */
export interface ObjectKey {
  readonly namespace?: string
  readonly name: string
}

/** Returns namespace, empty for cluster-scoped objects, and name of an object. */
export function keyOf({ metadata }: Pick<KubeObject, 'metadata'>): { readonly namespace: string; readonly name: string } {
  return { namespace: metadata?.namespace ?? '', name: metadata?.name ?? '' }
}

/** Returns the key of an object for requests, without a namespace for cluster-scoped objects. */
export function addressOf(object: Pick<KubeObject, 'metadata'>): ObjectKey {
  const { namespace, name } = keyOf(object)
  return namespace === '' ? { name } : { namespace, name }
}
