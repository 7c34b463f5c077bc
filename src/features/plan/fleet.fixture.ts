import { controllerRevisions } from '#api/apps/v1/resources.ts'
import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { persistentVolumeClaims } from '#api/core/v1/resources.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { deepEqual, deepFreeze } from '#apimachinery/equality.ts'
import { alreadyExists, conflict, notFound } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { apiVersionOf, type ObjectKey, type ResourceType } from '#apimachinery/meta/resource-type.ts'
import { applyJsonPatch } from '#apimachinery/patch/json-patch.ts'
import { applyMergePatch } from '#apimachinery/patch/merge-patch.ts'
import type { Client, Patch, WriteOptions } from '#client/client.ts'
import type { ClusterConfig } from '#features/cluster-config/index.ts'
import { ownerUids } from '#features/instancetype/index.ts'
import { createVirtualMachineReconciler, type VirtualMachinePorts } from '#features/vm/index.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import { createVirtualClock } from '#runtime/clock/virtual-clock.ts'
import { plannedResources, ClusterState } from './cluster-state/cluster-state.ts'

type Objects = Map<string, Map<string, KubeObject>>

/**
 * A cluster whose API is a map and whose only process is the real VM reconciler. It can be forked
 * to compare alternatives.
 */
export class Fleet {
  readonly #objects: Objects
  /** Revisions by owner VM: scanning all of them for each VM would dominate the run time. */
  readonly #owned: Objects = new Map()
  #version: number
  config: ClusterConfig

  constructor(config: ClusterConfig, objects: Objects = new Map(), version = 1) {
    this.config = config
    this.#objects = objects
    this.#version = version
    for (const revision of this.list(controllerRevisions)) this.#note(revision)
  }

  fork(): Fleet {
    const objects = new Map([...this.#objects].map(([plural, items]) => [plural, new Map(items)]))
    return new Fleet(this.config, objects, this.#version)
  }

  get cluster(): ClusterState {
    return ClusterState.of(plannedResources.map((resource) => [resource, this.list(resource)]))
  }

  get<T>(resource: ResourceType<T>, namespace: string, name: string): T | undefined {
    return this.#objects.get(resource.plural)?.get(keyOf(resource, { namespace, name })) as T | undefined
  }

  list<T>(resource: ResourceType<T>): T[] {
    return [...(this.#objects.get(resource.plural)?.values() ?? [])] as T[]
  }

  /** Stores an object as a user would, whatever was there. */
  put<T extends KubeObject>(resource: ResourceType<T>, object: KubeObject): void {
    const key = { namespace: object.metadata?.namespace ?? '', name: object.metadata?.name ?? '' }
    this.#store(resource, key, object, this.get(resource, key.namespace, key.name) as KubeObject | undefined)
  }

  remove(resource: ResourceType<unknown>, key: ObjectKey): void {
    const old = this.#objects.get(resource.plural)?.get(keyOf(resource, key))
    this.#objects.get(resource.plural)?.delete(keyOf(resource, key))
    if (old === undefined || resource.kind !== controllerRevisions.kind) return
    for (const uid of ownerUids(old as unknown as ControllerRevision)) this.#owned.get(uid)?.delete(key.name)
  }

  /** Reconciles every VM until nothing is written any more. */
  async settle(vms: readonly VirtualMachine[] = this.list(virtualMachines)): Promise<void> {
    const reconcile = createVirtualMachineReconciler(this.#ports())
    const context = { signal: new AbortController().signal }
    for (const { metadata } of vms) {
      const request = { namespace: metadata.namespace ?? '', name: metadata.name ?? '' }
      for (let before = -1; before !== this.#version;) {
        before = this.#version
        await reconcile(request, context)
      }
    }
  }

  /**
   * Returns the VMI of each VM if it were started now; undefined for those that cannot start. Works
   * on a fork.
   */
  async startedAnew(): Promise<Map<string, VirtualMachineInstance | undefined>> {
    const fork = this.fork()
    const vms = fork.list(virtualMachines)
    for (const { metadata } of fork.list(virtualMachineInstances)) fork.remove(virtualMachineInstances, metadata as ObjectKey)
    for (const vm of vms) fork.put(virtualMachines, { ...vm, spec: { ...vm.spec, runStrategy: 'Always' } } as KubeObject)
    await fork.settle()
    return new Map(
      vms.map(({ metadata: { namespace = '', name = '' } }) => [
        `${namespace}/${name}`,
        fork.get(virtualMachineInstances, namespace, name),
      ]),
    )
  }

  #ports(): VirtualMachinePorts {
    const client = this.#client()
    return {
      client,
      lookup: { client },
      vms: this.#lister(virtualMachines),
      vmis: this.#lister(virtualMachineInstances),
      claims: this.#lister(persistentVolumeClaims),
      revisions: this.#lister(controllerRevisions),
      recorder: { event: () => {} },
      clock: createVirtualClock(),
      random: () => 0,
      config: () => this.config,
    } as unknown as VirtualMachinePorts
  }

  #lister<T extends KubeObject>(resource: ResourceType<T>): Lister<T> {
    return {
      get: (namespace, name) => this.get(resource, namespace, name),
      list: (namespace) => this.list(resource).filter((object) => namespace === undefined || object.metadata?.namespace === namespace),
      // Only revisions are read by index, and by owner.
      byIndex: (_, uid) => [...(this.#owned.get(uid)?.values() ?? [])] as T[],
    }
  }

  #client(): Client {
    const require = <T extends KubeObject>(resource: ResourceType<T>, key: ObjectKey): T => {
      const object = this.get(resource, key.namespace ?? '', key.name)
      if (object === undefined) throw notFound(resource, key.name)
      return object
    }
    return {
      get: async (resource: ResourceType<KubeObject>, key: ObjectKey) => require(resource, key),
      create: async (resource: ResourceType<KubeObject>, object: KubeObject) => {
        const key = { namespace: object.metadata?.namespace ?? '', name: object.metadata?.name ?? '' }
        if (this.get(resource, key.namespace, key.name) !== undefined) throw alreadyExists(resource, key.name)
        return this.#store(resource, key, object, undefined)
      },
      patch: async (resource: ResourceType<KubeObject>, key: ObjectKey, patch: Patch, { subresource }: WriteOptions = {}) => {
        const old = require(resource, key)
        const patched = patchedWith(old, patch)
        const wanted = patched.metadata?.resourceVersion
        if (wanted !== undefined && wanted !== old.metadata?.resourceVersion) throw conflict(resource, key.name)
        return this.#store(
          resource,
          key,
          subresource === 'status' ? ({ ...old, status: patched['status' as never] } as KubeObject) : patched,
          old,
        )
      },
      delete: async (resource: ResourceType<KubeObject>, key: ObjectKey) => {
        require(resource, key)
        this.#version += 1
        this.remove(resource, key)
      },
    } as unknown as Client
  }

  #note(revision: ControllerRevision): void {
    for (const uid of ownerUids(revision)) {
      const revisions = this.#owned.get(uid) ?? new Map<string, KubeObject>()
      this.#owned.set(uid, revisions.set(revision.metadata.name ?? '', revision as unknown as KubeObject))
    }
  }

  #store(resource: ResourceType<unknown>, key: ObjectKey, object: KubeObject, old: KubeObject | undefined): KubeObject {
    if (old !== undefined && deepEqual(old, object)) return old
    const generation = old?.metadata?.generation ?? 0
    const isEdited = old === undefined || !deepEqual((old as { spec?: unknown }).spec, (object as { spec?: unknown }).spec)
    this.#version += 1
    const stored = deepFreeze({
      ...object,
      apiVersion: apiVersionOf(resource),
      kind: resource.kind,
      metadata: {
        ...object.metadata,
        uid: old?.metadata?.uid ?? `uid-of-${resource.kind}-${key.namespace ?? ''}-${key.name}`,
        resourceVersion: String(this.#version),
        generation: isEdited ? generation + 1 : generation,
      },
    })
    const items = this.#objects.get(resource.plural) ?? new Map<string, KubeObject>()
    this.#objects.set(resource.plural, items.set(keyOf(resource, key), stored))
    if (resource.kind === controllerRevisions.kind) this.#note(stored as unknown as ControllerRevision)
    return stored
  }
}

function patchedWith(old: KubeObject, patch: Patch): KubeObject {
  if (patch.type === 'json') return applyJsonPatch(old, patch.operations) as KubeObject
  if (patch.type === 'merge') return applyMergePatch(old, patch.body) as KubeObject
  throw new TypeError('Only JSON and merge patches are known here')
}

function keyOf({ namespaced }: ResourceType<unknown>, { namespace, name }: ObjectKey): string {
  return `${namespaced ? (namespace ?? '') : ''}/${name}`
}
