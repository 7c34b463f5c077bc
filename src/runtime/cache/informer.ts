import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Selection } from '#client/client.ts'
import type { Clock } from '../clock/clock.ts'
import type { Logger } from '../process/log.ts'
import type { Runnable } from '../manager/runnable.ts'
import { systemRandom } from '../process/random.ts'
import type { Random } from '../process/random.ts'
import { deepFreeze } from './deep-freeze.ts'
import type { CacheEvent, IndexFunction, Informer } from './lister.ts'
import { ObjectMap } from './object-map.ts'
import { runReflector } from './reflector.ts'
import type { ReflectorClient } from './reflector.ts'
import { VersionedStore } from './store.ts'

/** Dependencies and options of an informer. */
export interface InformerOptions<T extends KubeObject> {
  readonly client: ReflectorClient
  readonly resource: ResourceType<T>
  /** Default: all objects. */
  readonly selection?: Selection
  readonly clock: Clock
  readonly log: Logger
  /**
   * Milliseconds between replays of everything as `updated` with `old === object`. Default: never.
   */
  readonly resyncMs?: number
  /** Freezes objects recursively, so that a test detects mutations. Default false. */
  readonly freeze?: boolean
  /**
   * Reduces objects before they are stored, to save memory. Must keep name, namespace, uid and
   * resourceVersion.
   */
  readonly transform?: (object: T) => T
  readonly random?: Random
}

/** An informer that the caller must run. */
export type RunnableInformer<T extends KubeObject> = Informer<T> & Runnable

/** Creates a cache of one resource, kept in sync by list and watch while it runs. */
export function createInformer<T extends KubeObject>(options: InformerOptions<T>): RunnableInformer<T> {
  return new ReflectedInformer(options)
}

class ReflectedInformer<T extends KubeObject> implements RunnableInformer<T> {
  readonly #options: InformerOptions<T>
  readonly #objects = new ObjectMap<T>()
  readonly #store: VersionedStore<T>
  readonly #listeners = new Set<(event: CacheEvent<T>) => void>()
  readonly #synced = Promise.withResolvers<void>()
  #hasSynced = false

  constructor(options: InformerOptions<T>) {
    this.#options = options
    const { labelSelector, fieldSelector } = options.selection ?? {}
    this.#store = new VersionedStore(this.#objects, { filtered: labelSelector !== undefined || fieldSelector !== undefined })
  }

  get hasSynced(): boolean {
    return this.#hasSynced
  }

  get(namespace: string, name: string): T | undefined {
    return this.#objects.get(namespace, name)
  }

  list(namespace?: string): readonly T[] {
    return this.#objects.list(namespace)
  }

  byIndex(index: string, value: string): readonly T[] {
    return this.#objects.byIndex(index, value)
  }

  addIndex(name: string, index: IndexFunction<T>): void {
    this.#objects.addIndex(name, index)
  }

  onEvent(listener: (event: CacheEvent<T>) => void): Disposable {
    // Wrapped, so that the same function registered twice is two listeners.
    const own = (event: CacheEvent<T>): void => listener(event)
    this.#listeners.add(own)
    for (const object of this.#objects.list()) this.#tell(own, { type: 'added', object })
    return { [Symbol.dispose]: () => void this.#listeners.delete(own) }
  }

  synced(signal?: AbortSignal): Promise<void> {
    if (signal === undefined || this.#hasSynced) return this.#synced.promise
    return new Promise((resolve, reject) => {
      const onAbort = (): void => reject(signal.reason)
      if (signal.aborted) return onAbort()
      signal.addEventListener('abort', onAbort, { once: true })
      void this.#synced.promise.then(() => {
        signal.removeEventListener('abort', onAbort)
        resolve()
      })
    })
  }

  async run(signal: AbortSignal): Promise<void> {
    const { client, resource, clock, log, selection = {}, random = systemRandom } = this.#options
    const target = {
      replace: (items: readonly T[], restored: boolean): void => this.#replace(items, restored),
      upsert: (object: T): void => this.#publish(this.#store.upsert(this.#prepare(object))),
      remove: (object: T): void => this.#publish(this.#store.remove(this.#prepare(object))),
    }
    const resync = this.#resync()
    try {
      await runReflector({ client, resource, selection, clock, log, random, target }, signal)
    } finally {
      resync[Symbol.dispose]()
    }
  }

  #replace(items: readonly T[], restored: boolean): void {
    this.#publish(
      this.#store.replace(
        items.map((item) => this.#prepare(item)),
        restored,
      ),
    )
    if (this.#hasSynced) return
    this.#hasSynced = true
    this.#synced.resolve()
  }

  #resync(): Disposable {
    const { clock, resyncMs } = this.#options
    if (resyncMs === undefined) return { [Symbol.dispose]: () => {} }
    const again = (): Disposable =>
      clock.after(resyncMs, () => {
        timer = again()
        this.#publish(this.#objects.list().map((object) => ({ type: 'updated', object, old: object })))
      })
    let timer = again()
    return { [Symbol.dispose]: () => timer[Symbol.dispose]() }
  }

  #prepare(object: T): T {
    const { transform, freeze } = this.#options
    const prepared = transform === undefined ? object : transform(object)
    return freeze === true ? deepFreeze(prepared) : prepared
  }

  #publish(events: readonly CacheEvent<T>[]): void {
    for (const event of events) for (const listener of this.#listeners) this.#tell(listener, event)
  }

  /** One listener's failure must not starve the others, nor the cache. */
  #tell(listener: (event: CacheEvent<T>) => void, event: CacheEvent<T>): void {
    try {
      listener(event)
    } catch (error) {
      this.#options.log.error({ error, resource: this.#options.resource.plural }, 'A listener failed')
    }
  }
}
