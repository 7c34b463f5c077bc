import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { controllerOf } from '#apimachinery/meta/owner-references.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Selection } from '#client/client.ts'
import type { InformerSet } from '#runtime/cache/informer-set.ts'
import type { Informer } from '#runtime/cache/lister.ts'

const indexName = 'workload.controller'

/**
 * The shared informer of a resource, in which {@link candidatesOf} can look. All workload
 * controllers use one and the same.
 */
export function ownedInformer<T extends KubeObject>(
  informers: InformerSet,
  resource: ResourceType<T>,
  selection: Selection = {},
): Informer<T> {
  const informer = informers.informer(resource, selection)
  informer.addIndex(indexName, (object) => [controllerOf(object)?.uid ?? orphansIn(object)])
  return informer
}

/** Objects that the owner controls, and those without controller in its namespace. */
export function candidatesOf<T extends KubeObject>(informer: Informer<T>, owner: KubeObject): readonly T[] {
  return [...informer.byIndex(indexName, owner.metadata?.uid ?? ''), ...informer.byIndex(indexName, orphansIn(owner))]
}

/** Objects that the owner controls. */
export function controlledBy<T extends KubeObject>(informer: Informer<T>, owner: KubeObject): readonly T[] {
  return informer.byIndex(indexName, owner.metadata?.uid ?? '')
}

function orphansIn(object: KubeObject): string {
  return `orphans/${object.metadata?.namespace ?? ''}`
}
