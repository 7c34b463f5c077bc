import { controllerRevisions } from '#api/apps/v1/resources.ts'
import {
  virtualMachineClusterInstancetypes,
  virtualMachineClusterPreferences,
  virtualMachineInstancetypes,
  virtualMachinePreferences,
} from '#api/instancetype/v1beta1/resources.ts'
import { kubeVirts, virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { notFound } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { parseApiVersion, type ObjectKey, type ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import type { Lookup } from '#features/instancetype/index.ts'

/** Every kind of object that users change to change VMs. */
const changeableResources: readonly ResourceType<KubeObject>[] = [
  virtualMachines,
  virtualMachineInstancetypes,
  virtualMachineClusterInstancetypes,
  virtualMachinePreferences,
  virtualMachineClusterPreferences,
  kubeVirts,
] as readonly ResourceType<KubeObject>[]

/** Resources that decide the hardware of VMs. */
export const plannedResources: readonly ResourceType<KubeObject>[] = [
  ...changeableResources,
  virtualMachineInstances as ResourceType<KubeObject>,
  controllerRevisions as ResourceType<KubeObject>,
]

/**
 * Returns the resource of an object to change, in any version; undefined for objects that no VM
 * depends on.
 */
export function changeableResource(apiVersion: string | undefined, kind: string | undefined): ResourceType<KubeObject> | undefined {
  const { group } = parseApiVersion(apiVersion ?? '')
  return changeableResources.find((resource) => resource.kind === kind && resource.group === group)
}

/** Client for objects that are not part of the cluster state. */
type Elsewhere = Pick<Client, 'get'>

/**
 * The objects of a cluster at one moment. Never changes; {@link ClusterState.with} gives another
 * one.
 */
export class ClusterState {
  readonly #byResource: ReadonlyMap<string, ReadonlyMap<string, KubeObject>>
  readonly #elsewhere: Elsewhere | undefined

  constructor(objects: ReadonlyMap<string, ReadonlyMap<string, KubeObject>>, elsewhere: Elsewhere | undefined) {
    this.#byResource = objects
    this.#elsewhere = elsewhere
  }

  /**
   * Creates a state from lists by resource. Objects of other resources, such as the volumes that
   * names are inferred from, are read on demand.
   */
  static of(lists: readonly (readonly [ResourceType<unknown>, readonly KubeObject[]])[], elsewhere?: Elsewhere): ClusterState {
    const objects = new Map<string, ReadonlyMap<string, KubeObject>>()
    for (const [resource, items] of lists) {
      objects.set(resource.plural, new Map(items.map((item) => [keyOf(item.metadata?.namespace, item.metadata?.name), item])))
    }
    return new ClusterState(objects, elsewhere)
  }

  get<T>(resource: ResourceType<T>, { namespace, name }: Partial<ObjectKey>): T | undefined {
    return this.#byResource.get(resource.plural)?.get(keyOf(resource.namespaced ? namespace : undefined, name)) as T | undefined
  }

  list<T>(resource: ResourceType<T>): T[] {
    return [...(this.#byResource.get(resource.plural)?.values() ?? [])] as T[]
  }

  /** The cluster in which these objects are there, in place of those of the same name. */
  with(objects: readonly (readonly [ResourceType<unknown>, KubeObject])[]): ClusterState {
    const changed = new Map(this.#byResource)
    const copied = new Set<string>()
    for (const [resource, object] of objects) {
      const { plural } = resource
      if (!copied.has(plural)) changed.set(plural, new Map(changed.get(plural)))
      copied.add(plural)
      const items = changed.get(plural) as Map<string, KubeObject>
      items.set(keyOf(resource.namespaced ? object.metadata?.namespace : undefined, object.metadata?.name), object)
    }
    return new ClusterState(changed, this.#elsewhere)
  }

  /** The live object of which this one may be a captured copy. */
  live({ kind, metadata }: { readonly kind: string; readonly metadata: KubeObject['metadata'] }): KubeObject | undefined {
    const resource = plannedResources.find((candidate) => candidate.kind === kind)
    const { namespace, name = '' } = metadata ?? {}
    return resource === undefined ? undefined : this.get(resource, { name, ...(namespace === undefined ? {} : { namespace }) })
  }

  /** Finds the objects that VMs name in this state, with the search of the VM controller. */
  get lookup(): Lookup {
    const get = (resource: ResourceType<unknown>, key: ObjectKey): Promise<never> => {
      const isPlanned = plannedResources.some(({ plural }) => plural === resource.plural)
      if (!isPlanned && this.#elsewhere !== undefined)
        return this.#elsewhere.get(resource as ResourceType<KubeObject>, key) as Promise<never>
      const object = this.get(resource, key)
      return object === undefined ? Promise.reject(notFound(resource, key.name)) : Promise.resolve(object as never)
    }
    return { client: { get } }
  }
}

function keyOf(namespace: string | undefined, name: string | undefined): string {
  return `${namespace ?? ''}/${name ?? ''}`
}
