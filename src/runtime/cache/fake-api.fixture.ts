import { alreadyExists, conflict, expired, notFound } from '#apimachinery/errors.ts'
import type { KubeList, KubeObject } from '#apimachinery/meta/object-meta.ts'
import { apiVersionOf } from '#apimachinery/meta/resource-type.ts'
import type { ObjectKey, ResourceType } from '#apimachinery/meta/resource-type.ts'
import { TransportError } from '#client/client.ts'
import type { Client, ListOptions, Patch, WatchEvent, WatchOptions } from '#client/client.ts'

/** A change as it was stored. */
interface Stored {
  readonly resource: string
  readonly revision: number
  readonly object: KubeObject | undefined
  readonly previous: KubeObject | undefined
}

/** A watching client. */
interface Watcher {
  readonly resource: string
  readonly options: WatchOptions
  push(event: WatchEvent<KubeObject>): void
  end(error?: Error): void
}

/** A minimal in-memory API server with fault injection. */
export class FakeApi implements Client {
  revision = 100
  oldest = 100
  /** Runs before each request; may delay or reject it. */
  before: (verb: string, signal: AbortSignal | undefined) => Promise<void> = async () => {}
  /** Runs after each write is stored: throwing loses the answer. */
  afterWrite: (verb: string, signal: AbortSignal | undefined) => Promise<void> = async () => {}
  readonly calls: string[] = []
  readonly #objects = new Map<string, KubeObject>()
  readonly #history: Stored[] = []
  readonly #watchers = new Set<Watcher>()
  #uids = 0

  get watchers(): number {
    return this.#watchers.size
  }

  async get<T extends KubeObject>(resource: ResourceType<T>, key: ObjectKey, options: { signal?: AbortSignal } = {}): Promise<T> {
    await this.#begin('get', options.signal)
    const object = this.#objects.get(pathOf(resource, key))
    if (object === undefined) throw notFound(resource, key.name)
    return object as T
  }

  async list<T extends KubeObject>(resource: ResourceType<T>, options: ListOptions = {}): Promise<KubeList<T>> {
    await this.#begin('list', options.signal)
    const [from, pinned] = (options.continue ?? '0:').split(':')
    const start = Number(from)
    if (pinned !== '' && Number(pinned) < this.oldest) throw expired('The provided continue parameter is too old')
    const all = this.stored(resource).filter((object) => matches(options.labelSelector, object))
    const page = options.limit === undefined ? all.slice(start) : all.slice(start, start + options.limit)
    const rest = all.length - start - page.length
    const revision = pinned === '' ? this.revision : Number(pinned)
    return {
      metadata: { resourceVersion: String(revision), ...(rest > 0 ? { continue: `${start + page.length}:${revision}` } : {}) },
      items: page as T[],
    }
  }

  async *watch<T extends KubeObject>(resource: ResourceType<T>, options: WatchOptions): AsyncGenerator<WatchEvent<T>, void, undefined> {
    await this.#begin('watch', options.signal)
    const from = Number(options.resourceVersion)
    if (from < this.oldest) throw expired(`too old resource version: ${from} (${this.oldest})`)
    const queue: (WatchEvent<KubeObject> | { error: Error | undefined })[] = []
    let wake: () => void = () => {}
    const watcher: Watcher = {
      resource: keyOfResource(resource),
      options,
      push: (event) => (queue.push(event), wake()),
      end: (error) => (queue.push({ error }), wake()),
    }
    for (const stored of this.#history) if (stored.revision > from) deliver(stored, watcher)
    this.#watchers.add(watcher)
    const onAbort = (): void => watcher.end()
    options.signal.addEventListener('abort', onAbort, { once: true })
    try {
      for (;;) {
        const next = queue.shift()
        if (next === undefined) await new Promise<void>((resolve) => (wake = resolve))
        else if ('error' in next) {
          if (next.error !== undefined) throw next.error
          return
        } else yield next as WatchEvent<T>
      }
    } finally {
      options.signal.removeEventListener('abort', onAbort)
      this.#watchers.delete(watcher)
    }
  }

  async create<T extends KubeObject, R = T>(
    resource: ResourceType<T>,
    object: T | KubeObject,
    options: { signal?: AbortSignal } = {},
  ): Promise<R> {
    await this.#begin('create', options.signal)
    const key = pathOf(resource, { namespace: object.metadata?.namespace ?? '', name: object.metadata?.name ?? '' })
    if (this.#objects.has(key)) throw alreadyExists(resource, object.metadata?.name ?? '')
    const stored = this.#commit(resource, key, {
      ...object,
      apiVersion: apiVersionOf(resource),
      kind: resource.kind,
      metadata: { ...object.metadata, uid: `uid-${++this.#uids}` },
    })
    await this.afterWrite('create', options.signal)
    return stored as R
  }

  async update<T extends KubeObject>(resource: ResourceType<T>, object: T, options: { signal?: AbortSignal } = {}): Promise<T> {
    await this.#begin('update', options.signal)
    const name = object.metadata?.name ?? ''
    const key = pathOf(resource, { namespace: object.metadata?.namespace ?? '', name })
    const old = this.#objects.get(key)
    if (old === undefined) throw notFound(resource, name)
    const wanted = object.metadata?.resourceVersion
    if (wanted !== undefined && wanted !== old.metadata?.resourceVersion) throw conflict(resource, name)
    const uid = old.metadata?.uid ?? ''
    const stored = this.#commit(resource, key, { ...object, metadata: { ...object.metadata, uid } })
    await this.afterWrite('update', options.signal)
    return stored as T
  }

  async patch<T extends KubeObject>(
    resource: ResourceType<T>,
    key: ObjectKey,
    patch: Patch,
    options: { signal?: AbortSignal } = {},
  ): Promise<T> {
    await this.#begin('patch', options.signal)
    const old = this.#objects.get(pathOf(resource, key))
    if (old === undefined) throw notFound(resource, key.name)
    if (patch.type !== 'merge') throw new TypeError('Only merge patches are known here')
    const stored = this.#commit(resource, pathOf(resource, key), { ...old, ...patch.body })
    await this.afterWrite('patch', options.signal)
    return stored as T
  }

  async delete<T extends KubeObject>(resource: ResourceType<T>, key: ObjectKey, options: { signal?: AbortSignal } = {}): Promise<void> {
    await this.#begin('delete', options.signal)
    if (!this.#objects.has(pathOf(resource, key))) throw notFound(resource, key.name)
    this.#commit(resource, pathOf(resource, key), undefined)
    await this.afterWrite('delete', options.signal)
  }

  /** Returns the stored objects. */
  stored(resource: ResourceType<unknown>): KubeObject[] {
    const prefix = `${keyOfResource(resource)}/`
    return [...this.#objects].filter(([key]) => key.startsWith(prefix)).map(([, object]) => object)
  }

  /** The connections of all watches break. */
  breakWatches(): void {
    for (const watcher of this.#watchers) watcher.end(new TransportError('reset'))
  }

  /** The server ends all watches in good order. */
  endWatches(): void {
    for (const watcher of this.#watchers) watcher.end()
  }

  /** Forgets the history. */
  compact(): void {
    this.oldest = this.revision
    this.#history.length = 0
  }

  /** Simulates a restart: watches break, the history is lost, the revision jumps ahead. */
  restart(): void {
    this.breakWatches()
    this.revision += 1000
    this.compact()
  }

  /** Sends all watchers a bookmark. */
  bookmark(): void {
    for (const watcher of this.#watchers)
      watcher.push({ type: 'BOOKMARK', object: { metadata: { resourceVersion: String(this.revision) } } })
  }

  /** Repeats delivered events, newest first: a server should not, but a cache must tolerate it. */
  replay(count: number): void {
    for (const stored of this.#history.slice(-count).toReversed()) for (const watcher of this.#watchers) deliver(stored, watcher)
  }

  async #begin(verb: string, signal: AbortSignal | undefined): Promise<void> {
    this.calls.push(verb)
    await this.before(verb, signal)
    signal?.throwIfAborted()
  }

  #commit(resource: ResourceType<unknown>, key: string, object: KubeObject | undefined): KubeObject {
    const revision = ++this.revision
    const previous = this.#objects.get(key)
    const stamped = object === undefined ? undefined : stamp(object, revision)
    if (stamped === undefined) this.#objects.delete(key)
    else this.#objects.set(key, stamped)
    const stored = { resource: keyOfResource(resource), revision, object: stamped, previous }
    this.#history.push(stored)
    for (const watcher of this.#watchers) deliver(stored, watcher)
    return stamped ?? stamp(previous ?? {}, revision)
  }
}

function stamp(object: KubeObject, revision: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } }
}

function keyOfResource(resource: ResourceType<unknown>): string {
  return `${resource.group}/${resource.plural}`
}

function pathOf(resource: ResourceType<unknown>, key: ObjectKey): string {
  return `${keyOfResource(resource)}/${key.namespace ?? ''}/${key.name}`
}

/** Knows `a=b` only. */
function matches(selector: string | undefined, object: KubeObject | undefined): boolean {
  if (object === undefined) return false
  if (selector === undefined) return true
  const [name = '', value] = selector.split('=')
  return object.metadata?.labels?.[name] === value
}

function deliver(stored: Stored, watcher: Watcher): void {
  if (stored.resource !== watcher.resource) return
  const { labelSelector } = watcher.options
  const [before, now] = [matches(labelSelector, stored.previous), matches(labelSelector, stored.object)]
  if (now && stored.object !== undefined) watcher.push({ type: before ? 'MODIFIED' : 'ADDED', object: stored.object })
  else if (before && stored.previous !== undefined) watcher.push({ type: 'DELETED', object: stamp(stored.previous, stored.revision) })
}
