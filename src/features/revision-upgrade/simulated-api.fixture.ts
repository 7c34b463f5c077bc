import { deepEqual, deepFreeze } from '#apimachinery/equality.ts'
import { alreadyExists, conflict, invalid, notFound } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { apiVersionOf, type ObjectKey, type ResourceType } from '#apimachinery/meta/resource-type.ts'
import { applyJsonPatch, JsonPatchError } from '#apimachinery/patch/json-patch.ts'
import { applyMergePatch } from '#apimachinery/patch/merge-patch.ts'
import type { Client, DeleteOptions, Patch, WriteOptions } from '#client/client.ts'
import { timestamp } from '#runtime/clock/clock.ts'

/** Hooks before and after each request. They may wait, or throw as if the process had died. */
export interface Gate {
  readonly process: string
  before(verb: string, resource: ResourceType<unknown>): Promise<void>
  after(verb: string, resource: ResourceType<unknown>): void
}

/** A stored change; without object for a deletion. */
interface Change {
  readonly plural: string
  readonly key: string
  readonly object: KubeObject | undefined
}

/** API server in memory, with preconditions, conflicts, finalizers and garbage collection. */
export class SimulatedApi {
  readonly changes: Change[] = []
  /** Process whose request is being served. */
  process = ''
  /** Called after each write with the new state. */
  onWrite: (verb: string, object: KubeObject, old?: KubeObject) => void = () => {}
  /** Finalizers that are removed at once, since their controllers are not simulated. */
  absent: readonly string[] = ['kubevirt.io/foregroundDeleteVirtualMachine', 'kubevirt.io/virtualMachineControllerFinalize']
  /** Clock for creation and deletion, in milliseconds since the epoch. */
  now: () => number = () => Date.UTC(2026, 0, 1)
  readonly #objects = new Map<string, Map<string, KubeObject>>()
  readonly #resources = new Map<string, ResourceType<unknown>>()
  #uids = 0

  get<T extends KubeObject>(resource: ResourceType<T>, namespace: string, name: string): T | undefined {
    return this.#objects.get(resource.plural)?.get(`${resource.namespaced ? namespace : ''}/${name}`) as T | undefined
  }

  list<T extends KubeObject>(resource: ResourceType<T>): T[] {
    return [...(this.#objects.get(resource.plural)?.values() ?? [])] as T[]
  }

  /** Stores an object without checks. */
  put<T extends KubeObject>(resource: ResourceType<T>, object: KubeObject): T {
    const { namespace = '', name = '' } = object.metadata ?? {}
    return this.#store(resource, object, this.get(resource, namespace, name)) as T
  }

  /** Deletes an object; finalizers delay it. */
  remove(resource: ResourceType<KubeObject>, { namespace = '', name }: ObjectKey): void {
    const old = this.get(resource, namespace, name)
    if (old === undefined) throw notFound(resource, name)
    const { finalizers = [], deletionTimestamp } = old.metadata ?? {}
    if (finalizers.every((finalizer) => this.absent.includes(finalizer))) return this.#vanish(resource, old)
    if (deletionTimestamp !== undefined) return
    this.#store(resource, { ...old, metadata: { ...old.metadata, deletionTimestamp: timestamp(this.now()) } }, old)
  }

  /** Returns a client whose requests pass a gate. */
  client(gate: Gate = { process: '', before: async () => {}, after: () => {} }): Client {
    const through = async <T>(verb: string, resource: ResourceType<unknown>, perform: () => T): Promise<T> => {
      await gate.before(verb, resource)
      this.process = gate.process
      try {
        return perform()
      } finally {
        this.process = ''
        gate.after(verb, resource)
      }
    }
    return {
      get: (resource: ResourceType<KubeObject>, key: ObjectKey) => through('get', resource, () => this.#require(resource, key)),
      list: (resource: ResourceType<KubeObject>) => through('list', resource, () => ({ metadata: {}, items: this.list(resource) })),
      create: (resource: ResourceType<KubeObject>, object: KubeObject) =>
        through('create', resource, () => {
          const { namespace = '', name = '' } = object.metadata ?? {}
          if (this.get(resource, namespace, name) !== undefined) throw alreadyExists(resource, name)
          return this.#store(resource, object, undefined)
        }),
      patch: (resource: ResourceType<KubeObject>, key: ObjectKey, patch: Patch, options: WriteOptions = {}) =>
        through('patch', resource, () => this.#patch(resource, key, patch, options)),
      delete: (resource: ResourceType<KubeObject>, key: ObjectKey, { preconditions = {} }: DeleteOptions = {}) =>
        through('delete', resource, () => {
          const { uid, resourceVersion } = this.#require(resource, key).metadata ?? {}
          if ((preconditions.uid ?? uid) !== uid || (preconditions.resourceVersion ?? resourceVersion) !== resourceVersion) {
            throw conflict(resource, key.name)
          }
          this.remove(resource, key)
        }),
    } as unknown as Client
  }

  #patch(resource: ResourceType<KubeObject>, key: ObjectKey, patch: Patch, { subresource }: WriteOptions): KubeObject {
    const old = this.#require(resource, key)
    const patched = patchedWith(resource, old, patch)
    const wanted = patched.metadata?.resourceVersion
    if (wanted !== undefined && wanted !== old.metadata?.resourceVersion) throw conflict(resource, key.name)
    const next = subresource === 'status' ? ({ ...old, status: patched['status' as never] } as KubeObject) : patched
    const stored = this.#store(resource, next, old)
    const { finalizers = [], deletionTimestamp } = stored.metadata ?? {}
    if (deletionTimestamp !== undefined && finalizers.length === 0) this.#vanish(resource, stored)
    return stored
  }

  #require(resource: ResourceType<KubeObject>, key: ObjectKey): KubeObject {
    const object = this.get(resource, key.namespace ?? '', key.name)
    if (object === undefined) throw notFound(resource, key.name)
    return object
  }

  #store(resource: ResourceType<unknown>, object: KubeObject, old: KubeObject | undefined): KubeObject {
    const metadata = { ...object.metadata, resourceVersion: old?.metadata?.resourceVersion }
    if (old !== undefined && deepEqual({ ...object, metadata }, old)) return old
    const generation = old?.metadata?.generation ?? (object.metadata?.generation ?? 1) - 1
    const isEdited = old === undefined || !deepEqual((old as { spec?: unknown }).spec, (object as { spec?: unknown }).spec)
    const stored: KubeObject = deepFreeze({
      ...object,
      apiVersion: apiVersionOf(resource),
      kind: resource.kind,
      metadata: {
        ...metadata,
        // Names contain UIDs, so these have their real length.
        uid: old?.metadata?.uid ?? object.metadata?.uid ?? `00000000-0000-4000-8000-${String(++this.#uids).padStart(12, '0')}`,
        creationTimestamp: old?.metadata?.creationTimestamp ?? object.metadata?.creationTimestamp ?? timestamp(this.now()),
        resourceVersion: String(this.changes.length + 1),
        generation: isEdited ? generation + 1 : generation,
      },
    })
    const key = keyOf(resource, stored)
    this.#resources.set(resource.plural, resource)
    const items = this.#objects.get(resource.plural) ?? new Map<string, KubeObject>()
    this.#objects.set(resource.plural, items.set(key, stored))
    this.changes.push({ plural: resource.plural, key, object: stored })
    this.onWrite(old === undefined ? 'create' : 'patch', stored, old)
    return stored
  }

  #vanish(resource: ResourceType<unknown>, old: KubeObject): void {
    const key = keyOf(resource, old)
    this.#objects.get(resource.plural)?.delete(key)
    this.changes.push({ plural: resource.plural, key, object: undefined })
    this.onWrite('delete', old)
    this.#collect(old.metadata?.uid ?? '')
  }

  /** Deletes objects whose last owner is gone. */
  #collect(uid: string): void {
    const live = new Set([...this.#objects.values()].flatMap((items) => [...items.values()].map(({ metadata }) => metadata?.uid)))
    for (const [plural, items] of this.#objects) {
      for (const [key, object] of items) {
        const owners = object.metadata?.ownerReferences ?? []
        if (!owners.some((owner) => owner.uid === uid) || owners.some((owner) => live.has(owner.uid))) continue
        const resource = this.#resources.get(plural)
        if (resource !== undefined && (object.metadata?.finalizers ?? []).length > 0) {
          this.remove(resource as ResourceType<KubeObject>, object.metadata as ObjectKey)
          continue
        }
        items.delete(key)
        this.changes.push({ plural, key, object: undefined })
        this.onWrite('collect', object)
      }
    }
  }
}

function keyOf({ namespaced }: ResourceType<unknown>, { metadata: { namespace = '', name = '' } = {} }: KubeObject): string {
  return `${namespaced ? namespace : ''}/${name}`
}

function patchedWith(resource: ResourceType<unknown>, old: KubeObject, patch: Patch): KubeObject {
  if (patch.type === 'merge') return applyMergePatch(old, patch.body) as KubeObject
  if (patch.type !== 'json') throw new TypeError('Only JSON and merge patches are known here')
  try {
    return applyJsonPatch(old, patch.operations) as KubeObject
  } catch (error) {
    throw error instanceof JsonPatchError ? invalid(resource, old.metadata?.name ?? '', []) : error
  }
}
