import type { GroupVersionKind } from '#api/meta/v1/group-version-kind.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { apiVersionOf, parseApiVersion } from '#apimachinery/meta/resource-type.ts'
import type { Target } from '#apiserver/request/api-request.ts'
import { inVersion } from '#apiserver/codec/conversion.ts'
import { scaleView, withScale } from '#apiserver/codec/scale-view.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'

// Webhooks and policies see the object in the version that they match, or the object of the
// subresource: a Scale, an Eviction, PodExecOptions.

/** Returns the kind that webhooks and policies see. */
export function shownKind(target: Target, version: ResourceDefinition, object: KubeObject | undefined): GroupVersionKind {
  if (target.subresource === 'scale') return { group: 'autoscaling', version: 'v1', kind: 'Scale' }
  const { apiVersion, kind } = object ?? {}
  if (apiVersion === undefined || kind === undefined || kind === target.definition.kind)
    return { group: version.group, version: version.version, kind: version.kind }
  return { ...parseApiVersion(apiVersion), kind }
}

/** Converts the object to what webhooks and policies see. */
export function shownObject<T extends KubeObject | undefined>(version: ResourceDefinition, target: Target, object: T): Promise<T> | T {
  const { definition, subresource } = target
  if (object === undefined || object.apiVersion === undefined || object.kind !== definition.kind) return object
  if (subresource === 'scale') return scaleView(definition, object) as T
  const wanted = apiVersionOf(version)
  return object.apiVersion === wanted ? object : (inVersion(definition, object, wanted) as Promise<T>)
}

/** Applies a webhook's change of what it saw to the object. */
export function withShown(target: Target, object: KubeObject, changed: KubeObject): Promise<KubeObject> | KubeObject {
  return target.subresource === 'scale' ? withScale(target, object, changed) : shownObject(target.definition, target, changed)
}
