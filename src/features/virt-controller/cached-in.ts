import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { InformerSet } from '#runtime/cache/informer-set.ts'

/** Returns a lookup in the shared caches. */
export function cachedIn(
  informers: InformerSet,
): <T extends KubeObject>(resource: ResourceType<T>, namespace: string, name: string) => T | undefined {
  return (resource, namespace, name) => informers.informer(resource).get(namespace, name)
}
