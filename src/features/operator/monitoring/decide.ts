import { isManaged } from '#api/access/managed.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { isJsonObject } from '#apimachinery/own-property.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { MonitoringObject } from './objects.ts'

/** An object as it is stored; undefined: there is none. */
export interface MonitoringComparison {
  readonly wanted: MonitoringObject
  readonly present: KubeObject | undefined
}

/** An object that is there. */
export interface StoredObject {
  readonly resource: ResourceType<KubeObject>
  readonly object: KubeObject
}

/** Writes that bring the cluster to what is wanted. */
export interface MonitoringSteps {
  readonly apply: readonly MonitoringObject[]
  readonly remove: readonly StoredObject[]
}

/**
 * Decides what to write. `found`: all objects of our name of the kinds of the Prometheus operator.
 * Those in other namespaces are of an earlier configuration: they are removed if they are ours.
 * Pure.
 */
export function decideMonitoring(comparisons: readonly MonitoringComparison[], found: readonly StoredObject[]): MonitoringSteps {
  const places = new Set(comparisons.map(({ wanted: { resource, object } }) => placeOf(resource, object)))
  const isKept = new Set(comparisons.map(({ wanted }) => wanted.resource.kind))
  return {
    apply: comparisons.filter(({ wanted, present }) => !isContained(wanted.object, present)).map(({ wanted }) => wanted),
    remove: found.filter(
      ({ resource, object }) => isKept.has(resource.kind) && isManaged(object.metadata?.labels) && !places.has(placeOf(resource, object)),
    ),
  }
}

function placeOf({ kind }: ResourceType<KubeObject>, { metadata }: KubeObject): string {
  return `${kind}/${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`
}

/**
 * Reports whether an object has all that is wanted of it. More fields are defaults, or belong to
 * others. Pure.
 */
export function isContained(wanted: unknown, present: unknown): boolean {
  if (isJsonObject(wanted)) return isJsonObject(present) && Object.entries(wanted).every(([key, value]) => isContained(value, present[key]))
  if (Array.isArray(wanted) && Array.isArray(present))
    return wanted.length === present.length && wanted.every((item, index) => isContained(item, (present as readonly unknown[])[index]))
  return deepEqual(wanted, present)
}
