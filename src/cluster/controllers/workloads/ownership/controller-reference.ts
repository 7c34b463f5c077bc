import type { KubeObject, OwnerReference } from '#apimachinery/meta/object-meta.ts'
import { apiVersionOf, type ResourceType } from '#apimachinery/meta/resource-type.ts'

/** The reference to the one owner that manages the object. */
export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata?.ownerReferences?.find((reference) => reference.controller === true)
}

/** Reports whether `owner` is the object's controller. */
export function isControlledBy(object: KubeObject, owner: KubeObject): boolean {
  return controllerOf(object)?.uid === owner.metadata?.uid
}

/** A reference that says that `owner`, of the given kind, manages the object that carries it. */
export function controllerReference(resource: ResourceType<unknown>, owner: KubeObject): OwnerReference {
  const { name = '', uid = '' } = owner.metadata ?? {}
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, name, uid, controller: true, blockOwnerDeletion: true }
}
