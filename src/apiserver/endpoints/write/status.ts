import type { KubeObject, ObjectMeta } from '#apimachinery/meta/object-meta.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'

interface WithStatus extends KubeObject {
  status?: unknown
}

/** Copy of the object without its status. */
export function withoutStatus(object: KubeObject): KubeObject {
  if (!Object.hasOwn(object, 'status')) return object
  const { status: _, ...rest }: WithStatus = object
  return rest
}

function withStatusOf(object: KubeObject, source: KubeObject): KubeObject {
  const { status }: WithStatus = source
  const copied: WithStatus = { ...withoutStatus(object), status }
  return status === undefined ? withoutStatus(object) : copied
}

/**
 * Applies an update of the main resource: everything except status, where that is a subresource.
 */
export function updateMain({ hasStatus }: ResourceDefinition, next: KubeObject, old: KubeObject): KubeObject {
  return hasStatus ? withStatusOf(next, old) : next
}

/**
 * Applies an update of the status subresource. Built-in kinds also take labels, annotations and
 * finalizers.
 */
export function updateStatus({ custom }: ResourceDefinition, next: KubeObject, old: KubeObject): KubeObject {
  const changed = withStatusOf(old, next)
  return custom || next.metadata === undefined || old.metadata === undefined
    ? changed
    : { ...changed, metadata: statusMetadata(next.metadata, old.metadata) }
}

function statusMetadata(next: ObjectMeta, old: ObjectMeta): ObjectMeta {
  return old.ownerReferences === undefined ? withoutOwners(next) : { ...next, ownerReferences: old.ownerReferences }
}

function withoutOwners(metadata: ObjectMeta): ObjectMeta {
  const { ownerReferences: _, ...rest } = metadata
  return rest
}
