import type { KubeObject, OwnerReference } from './object-meta.ts'

/** Objects of `#api` and generic ones alike. */
type Owned = { readonly metadata?: KubeObject['metadata'] | undefined }

/** Returns the owner reference with `controller: true`; the API server admits at most one. */
export function controllerOf({ metadata }: Owned): OwnerReference | undefined {
  return metadata?.ownerReferences?.find(({ controller }) => controller === true)
}

/**
 * Reports whether `owner` is the controller of the object, by UID: a new object of the same name is
 * another owner.
 */
export function isControlledBy(object: Owned, owner: Owned): boolean {
  const uid = owner.metadata?.uid
  return uid !== undefined && controllerOf(object)?.uid === uid
}

/**
 * Reports whether the object has an owner reference to `owner`, by UID, as its controller or not.
 */
export function isOwnedBy(object: Owned, owner: Owned): boolean {
  const uid = owner.metadata?.uid
  return uid !== undefined && object.metadata?.ownerReferences?.some((reference) => reference.uid === uid) === true
}
