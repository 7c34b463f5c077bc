import { badRequest } from '#apimachinery/errors.ts'
import type { KubeObject, ObjectMeta, OwnerReference } from '#apimachinery/meta/object-meta.ts'
import { generateName } from '#apimachinery/names.ts'
import type { RequestContext, Target } from '#apiserver/request/api-request.ts'
import type { Environment } from '../environment.ts'
import { rfc3339 } from '#apiserver/codec/rfc3339.ts'
import { withMetadata } from '#apiserver/codec/metadata.ts'

const nameTries = 8

/**
 * Sets the fields of a new object that only the server sets: namespace, a generated name, uid and
 * creationTimestamp. @throws StatusError 400
 */
export function stampNew(environment: Environment, target: Target, object: KubeObject, context: RequestContext): KubeObject {
  const sent = object.metadata ?? {}
  checkPlace(target, sent)
  const { name, generateName: prefix, resourceVersion, labels, annotations, ownerReferences, finalizers } = sent
  const metadata: ObjectMeta = {}
  const given = name ?? (prefix === undefined ? undefined : freeName(environment, target, prefix))
  if (given !== undefined) metadata.name = given
  if (prefix !== undefined) metadata.generateName = prefix
  if (target.definition.namespaced && target.namespace !== undefined) metadata.namespace = target.namespace
  metadata.uid = environment.randomUuid()
  // Admission sees it, and the create is refused after that.
  if (resourceVersion !== undefined) metadata.resourceVersion = resourceVersion
  if (target.definition.hasGeneration) metadata.generation = 1
  metadata.creationTimestamp = rfc3339(environment.now())
  if (labels !== undefined) metadata.labels = labels
  if (annotations !== undefined) metadata.annotations = annotations
  if (ownerReferences !== undefined) metadata.ownerReferences = distinctOwners(ownerReferences, context)
  if (finalizers !== undefined) metadata.finalizers = finalizers
  return withMetadata(object, metadata)
}

/** Restores the fields of a new object that admission must not change. */
export function keepNew(object: KubeObject, stamped: KubeObject): KubeObject {
  const { resourceVersion, labels, annotations, ownerReferences, finalizers } = object.metadata ?? {}
  const { name, generateName: prefix, namespace, uid, generation, creationTimestamp } = stamped.metadata ?? {}
  return withMetadata(object, {
    ...optional('name', name),
    ...optional('generateName', prefix),
    ...optional('namespace', namespace),
    ...optional('uid', uid),
    ...optional('resourceVersion', resourceVersion),
    ...optional('generation', generation),
    ...optional('creationTimestamp', creationTimestamp),
    ...optional('labels', labels),
    ...optional('annotations', annotations),
    ...optional('ownerReferences', ownerReferences),
    ...optional('finalizers', finalizers),
  })
}

/**
 * Restores uid, creationTimestamp and deletion fields of an existing object, which an update cannot
 * change.
 */
export function keepIdentity(object: KubeObject, old: KubeObject): KubeObject {
  const { labels, annotations, ownerReferences, finalizers } = object.metadata ?? {}
  const { labels: _l, annotations: _a, ownerReferences: _o, finalizers: _f, managedFields, ...identity } = old.metadata ?? {}
  return withMetadata(object, {
    ...identity,
    ...optional('labels', labels),
    ...optional('annotations', annotations),
    ...optional('ownerReferences', ownerReferences),
    ...optional('finalizers', finalizers),
    ...optional('managedFields', managedFields),
  })
}

function checkPlace({ definition, namespace }: Target, { namespace: sent }: ObjectMeta): void {
  if (!definition.namespaced) return
  if (namespace === undefined || namespace === '') throw badRequest('an empty namespace may not be set during creation')
  if (sent !== undefined && sent !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  }
}

/**
 * Generates a name that is free now. If another request takes it before the commit, the create
 * starts over.
 */
function freeName({ store, random }: Environment, { definition, namespace = '' }: Target, prefix: string): string {
  let name = generateName(prefix, random)
  for (let tries = 1; tries < nameTries && store.getPending(definition.storageKey, namespace, name) !== undefined; tries++) {
    name = generateName(prefix, random)
  }
  return name
}

function distinctOwners(owners: OwnerReference[], context: RequestContext): OwnerReference[] {
  const distinct = [...new Map(owners.map((owner) => [owner.uid, owner])).values()]
  if (distinct.length === owners.length) return owners
  context.warn(
    '.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24',
  )
  return distinct
}

function optional<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: V })
}
