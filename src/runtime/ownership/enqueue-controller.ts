import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import { controllerOf } from '#apimachinery/meta/owner-references.ts'
import type { Informer } from '#runtime/cache/lister.ts'
import { enqueueOwner, enqueueSelf, type MapToRequests } from '#runtime/controller/source.ts'
import { workloadSelector } from './selector.ts'

/** An object that chooses its dependents by label. */
export interface Selecting extends KubeObject {
  spec?: { selector?: LabelSelector }
}

/** Leads from a dependent to its controller, and from an orphan to all that might adopt it. */
export function enqueueController<O extends KubeObject & Selecting>(
  resource: ResourceType<O>,
  owners: Informer<O>,
): MapToRequests<KubeObject> {
  const toOwner = enqueueOwner(resource)
  return (object) => {
    if (controllerOf(object) !== undefined) return toOwner(object)
    const { namespace = '', labels } = object.metadata ?? {}
    if (labels === undefined) return []
    return owners
      .list(namespace)
      .filter(({ spec }) => workloadSelector(spec?.selector)?.matches(labels) === true)
      .flatMap(enqueueSelf)
  }
}
