import { randomUUID } from 'node:crypto'
import { alreadyExists, conflict, notFound } from '#apimachinery/errors.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { KubeList, KubeObject, ObjectMeta } from '#apimachinery/meta/object-meta.ts'
import { apiVersionOf, groupResourceOf, type ObjectKey, type ResourceType } from '#apimachinery/meta/resource-type.ts'
import {
  type Client,
  type DeleteOptions,
  type Patch,
  type Selection,
  TransportError,
  type WatchEvent,
  type WatchOptions,
  type WriteOptions,
} from '#client/client.ts'
import { deepFreeze } from '#runtime/cache/deep-freeze.ts'
import { systemClock } from '#runtime/clock/clock.ts'

type Stored = KubeObject & { metadata: ObjectMeta; status?: Record<string, unknown>; spec?: Record<string, unknown> }

interface Event {
  readonly revision: number
  readonly resource: string
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly object: Stored
  readonly old: Stored | undefined
}

/** One request that was made. */
export interface Call {
  readonly verb: string
  readonly resource: string
  readonly key: string
  readonly subresource: string
}

/**
 * The semantics of the API that cluster components rely on, in memory: versions, watches,
 * finalizers, graceful deletion of pods. Objects are frozen, and every call is kept.
 */
export class MemoryApi implements Client {
  readonly calls: Call[] = []
  /** False: every request fails as if no server listened. */
  reachable = true
  readonly #objects = new Map<string, Stored>()
  readonly #events: Event[] = []
  readonly #waiting = new Set<() => void>()
  readonly #now: () => number
  #revision = 1

  constructor(now: () => number = () => systemClock.now()) {
    this.#now = now
  }

  writes(resource: string): readonly Call[] {
    return this.calls.filter((call) => call.resource === resource && !['get', 'list', 'watch'].includes(call.verb))
  }

  all<T extends KubeObject>(resource: ResourceType<T>): readonly T[] {
    return [...this.#objects].filter(([key]) => key.startsWith(`${groupResourceOf(resource)}|`)).map(([, object]) => object as unknown as T)
  }

  peek<T extends KubeObject>(resource: ResourceType<T>, namespace: string, name: string): T | undefined {
    return this.#objects.get(keyOf(resource, namespace, name)) as T | undefined
  }

  async get<T extends KubeObject>(resource: ResourceType<T>, key: ObjectKey): Promise<T> {
    await this.#called('get', resource, key, '')
    return this.#find(resource, key) as unknown as T
  }

  async list<T extends KubeObject>(resource: ResourceType<T>, options: Selection = {}): Promise<KubeList<T>> {
    await this.#called('list', resource, { name: '' }, '')
    const items = this.all(resource).filter((object) => selected(object as unknown as Stored, options))
    return { metadata: { resourceVersion: String(this.#revision) }, items }
  }

  async *watch<T extends KubeObject>(resource: ResourceType<T>, options: WatchOptions): AsyncIterable<WatchEvent<T>> {
    await this.#called('watch', resource, { name: '' }, '')
    let index = this.#events.findIndex((event) => event.revision > Number(options.resourceVersion ?? this.#revision))
    if (index < 0) index = this.#events.length
    while (!options.signal.aborted) {
      if (!this.reachable) throw new TransportError('the connection broke')
      const event = this.#events[index]
      if (event === undefined) {
        await this.#wait(options.signal)
        continue
      }
      index++
      const watchEvent = event.resource === groupResourceOf(resource) ? transition(event, options) : undefined
      if (watchEvent !== undefined) yield watchEvent as unknown as WatchEvent<T>
    }
  }

  async create<T extends KubeObject, R = T>(resource: ResourceType<T>, object: T | KubeObject, options: WriteOptions = {}): Promise<R> {
    const { subresource = '' } = options
    const metadata = object.metadata ?? {}
    const key = { namespace: metadata.namespace ?? '', name: metadata.name ?? `${metadata.generateName ?? ''}${randomUUID().slice(0, 5)}` }
    await this.#called('create', resource, key, subresource)
    if (subresource === 'binding') return this.#bind(resource, key, object) as unknown as R
    const id = keyOf(resource, key.namespace, key.name)
    if (this.#objects.has(id)) throw alreadyExists(resource, key.name)
    const stored = {
      ...object,
      apiVersion: apiVersionOf(resource),
      kind: resource.kind,
      metadata: { ...metadata, ...key, uid: randomUUID(), creationTimestamp: new Date(this.#now()).toISOString() },
    } as Stored
    if (key.namespace === '') delete stored.metadata.namespace
    return this.#store(resource, stored, undefined) as unknown as R
  }

  async update<T extends KubeObject>(resource: ResourceType<T>, object: T, options: WriteOptions = {}): Promise<T> {
    const metadata = object.metadata ?? {}
    const key = { namespace: metadata.namespace ?? '', name: metadata.name ?? '' }
    await this.#called('update', resource, key, options.subresource ?? '')
    const old = this.#find(resource, key)
    if (metadata.resourceVersion !== undefined && metadata.resourceVersion !== old.metadata.resourceVersion)
      throw conflict(resource, key.name)
    return this.#settle(resource, object as unknown as Stored, old) as unknown as T
  }

  async patch<T extends KubeObject>(resource: ResourceType<T>, key: ObjectKey, patch: Patch, options: WriteOptions = {}): Promise<T> {
    const { subresource = '' } = options
    await this.#called('patch', resource, key, subresource)
    const old = this.#find(resource, key)
    if (patch.type !== 'merge' && patch.type !== 'strategic') throw new TypeError(`no ${patch.type} patches here`)
    const { metadata, ...rest } = patch.body as Stored
    if (metadata?.uid !== undefined && metadata.uid !== old.metadata.uid) throw conflict(resource, key.name)
    if (metadata?.resourceVersion !== undefined && metadata.resourceVersion !== old.metadata.resourceVersion)
      throw conflict(resource, key.name)
    const next = merge(old, { metadata, ...rest }, patch.type === 'strategic') as Stored
    const kept = subresource === 'status' ? { ...old, status: next.status } : next
    return this.#settle(resource, kept as Stored, old) as unknown as T
  }

  async delete<T extends KubeObject>(resource: ResourceType<T>, key: ObjectKey, options: DeleteOptions = {}): Promise<void> {
    await this.#called('delete', resource, key, '')
    const old = this.#find(resource, key)
    const { uid, resourceVersion } = options.preconditions ?? {}
    if (uid !== undefined && uid !== old.metadata.uid) throw conflict(resource, key.name)
    if (resourceVersion !== undefined && resourceVersion !== old.metadata.resourceVersion) throw conflict(resource, key.name)
    const finalizers = (old.metadata.finalizers ?? []).filter((one) => one !== 'orphan' && one !== 'foregroundDeletion')
    const { propagationPolicy } = options
    if (propagationPolicy === 'Foreground') finalizers.push('foregroundDeletion')
    if (propagationPolicy === 'Orphan') finalizers.push('orphan')
    const grace = this.#graceOf(resource, old, options.gracePeriodSeconds)
    if (finalizers.length === 0 && grace === 0) return this.#remove(resource, old)
    const shorter = Math.min(grace, old.metadata.deletionGracePeriodSeconds ?? Infinity)
    const at = new Date(this.#now() + shorter * 1000).toISOString().replace(/\.\d+Z/, 'Z')
    const metadata = { ...old.metadata, finalizers, deletionTimestamp: at, deletionGracePeriodSeconds: shorter }
    if (finalizers.length === 0) delete (metadata as ObjectMeta).finalizers
    this.#store(resource, { ...old, metadata }, old)
  }

  #graceOf(resource: ResourceType<unknown>, old: Stored, asked: number | undefined): number {
    if (resource.plural !== 'pods' || resource.group !== '' || old.spec?.['nodeName'] === undefined) return 0
    return asked ?? Number(old.spec['terminationGracePeriodSeconds'] ?? 30)
  }

  #bind(resource: ResourceType<unknown>, key: ObjectKey, binding: KubeObject): Stored {
    const old = this.#find(resource, key)
    if (old.spec?.['nodeName'] !== undefined) throw conflict(resource, key.name, 'pod is already assigned')
    const nodeName = (binding as { target?: { name?: string } }).target?.name
    const conditions = [{ type: 'PodScheduled', status: 'True' }]
    return this.#store(resource, { ...old, spec: { ...old.spec, nodeName }, status: { phase: 'Pending', ...old.status, conditions } }, old)
  }

  /** Stores an update; an object that waits for nothing any more after it is gone. */
  #settle(resource: ResourceType<unknown>, next: Stored, old: Stored): Stored {
    const over = isBeingDeleted(next) && (next.metadata.finalizers ?? []).length === 0
    if (over && (next.metadata.deletionGracePeriodSeconds ?? 0) === 0) {
      this.#remove(resource, old)
      return next
    }
    if (JSON.stringify(next) === JSON.stringify(old)) return old
    return this.#store(resource, next, old)
  }

  #store(resource: ResourceType<unknown>, object: Stored, old: Stored | undefined): Stored {
    const revision = ++this.#revision
    const copy = JSON.parse(JSON.stringify(object)) as Stored
    const stored = deepFreeze({ ...copy, metadata: { ...copy.metadata, resourceVersion: String(revision) } })
    this.#objects.set(keyOf(resource, stored.metadata.namespace ?? '', stored.metadata.name ?? ''), stored)
    this.#emit({ revision, resource: groupResourceOf(resource), type: old === undefined ? 'ADDED' : 'MODIFIED', object: stored, old })
    return stored
  }

  #remove(resource: ResourceType<unknown>, old: Stored): void {
    const revision = ++this.#revision
    this.#objects.delete(keyOf(resource, old.metadata.namespace ?? '', old.metadata.name ?? ''))
    const object = deepFreeze({ ...old, metadata: { ...old.metadata, resourceVersion: String(revision) } })
    this.#emit({ revision, resource: groupResourceOf(resource), type: 'DELETED', object, old })
  }

  #emit(event: Event): void {
    this.#events.push(event)
    this.wake()
  }

  /** Wakes all watches; call it after changing {@link reachable}. */
  wake(): void {
    for (const wake of this.#waiting) wake()
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake)
        signal.removeEventListener('abort', wake)
        resolve()
      }
      this.#waiting.add(wake)
      signal.addEventListener('abort', wake, { once: true })
    })
  }

  #find(resource: ResourceType<unknown>, key: ObjectKey): Stored {
    const found = this.#objects.get(keyOf(resource, key.namespace ?? '', key.name))
    if (found === undefined) throw notFound(resource, key.name)
    return found
  }

  // A request takes at least one turn of the event loop, as over any wire.
  async #called(verb: string, resource: ResourceType<unknown>, key: ObjectKey, subresource: string): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    if (!this.reachable) throw new TransportError('nobody listens')
    this.calls.push({ verb, resource: resource.plural, key: `${key.namespace ?? ''}/${key.name}`, subresource })
  }
}

function keyOf(resource: ResourceType<unknown>, namespace: string, name: string): string {
  return `${groupResourceOf(resource)}|${namespace}/${name}`
}

function selected(object: Stored, selection: Selection): boolean {
  if (selection.namespace !== undefined && selection.namespace !== (object.metadata.namespace ?? '')) return false
  return (selection.fieldSelector ?? '').split(',').every((term) => {
    const [path, value] = term.split('=')
    if (path === undefined || path === '') return true
    const found = path.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], object)
    return (found ?? '') === value
  })
}

function transition(event: Event, selection: Selection): { type: string; object: Stored } | undefined {
  const is = event.type !== 'DELETED' && selected(event.object, selection)
  const was = event.old !== undefined && selected(event.old, selection)
  if (is) return { type: was ? 'MODIFIED' : 'ADDED', object: event.object }
  return was ? { type: 'DELETED', object: { ...event.old, ...event.object } } : undefined
}

function merge(target: unknown, patch: unknown, strategic: boolean, key = ''): unknown {
  if (Array.isArray(patch)) {
    if (!strategic || key !== 'conditions' || !Array.isArray(target)) return patch
    const conditions = new Map((target as { type: string }[]).map((condition) => [condition.type, condition]))
    for (const condition of patch as { type: string }[]) conditions.set(condition.type, { ...conditions.get(condition.type), ...condition })
    return [...conditions.values()]
  }
  if (typeof patch !== 'object' || patch === null) return patch
  const base = typeof target === 'object' && target !== null ? target : {}
  const result: Record<string, unknown> = { ...base }
  for (const [name, value] of Object.entries(patch)) {
    if (value === undefined) continue
    if (value === null) delete result[name]
    else result[name] = merge(result[name], value, strategic, name)
  }
  return result
}
