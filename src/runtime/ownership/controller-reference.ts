import type { KubeObject, OwnerReference } from '#apimachinery/meta/object-meta.ts'
import { apiVersionOf, type ResourceType } from '#apimachinery/meta/resource-type.ts'

/** A reference that says that `owner`, of the given kind, manages the object that carries it. */
export function controllerReference(resource: ResourceType<unknown>, owner: KubeObject): OwnerReference {
  const { name = '', uid = '' } = owner.metadata ?? {}
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, name, uid, controller: true, blockOwnerDeletion: true }
}
