import { expired, notFound } from '#apimachinery/errors.ts'
import type { KubeList, KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ObjectKey, ResourceType } from '#apimachinery/meta/resource-type.ts'
import { parseLabelSelector } from '#apimachinery/selectors/label-selector.ts'
import {
  TransportError,
  type Client,
  type DeleteOptions,
  type ListOptions,
  type Patch,
  type Selection,
  type WatchEvent,
  type WatchOptions,
  type WriteOptions,
} from '#client/client.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { SeededRandom } from '#runtime/process/seeded-random.fixture.ts'
import type { Api } from './api.ts'
import type { Commit } from './store.ts'

/** Client of one process: requests are delayed, and watch events arrive late. */
export class SimulatedClient implements Client {
  readonly #api: Api
  readonly #clock: Clock
  readonly #seeded: SeededRandom
  readonly #actor: string
  readonly #streams = new Set<(error: Error) => void>()
  #isDead = false

  constructor(api: Api, clock: Clock, seeded: SeededRandom, actor: string) {
    this.#api = api
    this.#clock = clock
    this.#seeded = seeded
    this.#actor = actor
  }

  /** Kills the process: it sends no more writes, and the result of running ones is unknown. */
  kill(): void {
    this.#isDead = true
    this.breakWatches()
  }

  /** Closes all watches, as a restart of the server does. */
  breakWatches(): void {
    for (const end of this.#streams) end(new TransportError('reset'))
  }

  async get<T extends KubeObject>(resource: ResourceType<T>, key: ObjectKey): Promise<T> {
    const found = await this.#request(() => this.#api.store.get(resource, key))
    if (found === undefined) throw notFound(resource, key.name)
    return found
  }

  list<T extends KubeObject>(resource: ResourceType<T>, options: ListOptions = {}): Promise<KubeList<T>> {
    return this.#request(() => {
      const items = [...this.#api.store.all(resource)].filter(selects(options))
      return { metadata: { resourceVersion: String(this.#api.store.revision) }, items }
    })
  }

  async *watch<T extends KubeObject>(resource: ResourceType<T>, options: WatchOptions): AsyncGenerator<WatchEvent<T>, void, undefined> {
    await this.#request(() => {})
    // Together with what follows, or what happens in between would be lost.
    const missed = this.#api.store.since(resource, Number(options.resourceVersion))
    if (missed === undefined) throw expired('too old resource version')
    const isSelected = selects(options)
    const arrived: WatchEvent<T>[] = missed.flatMap((commit) => eventOf<T>(commit, isSelected))
    let onTheWay: WatchEvent<T>[] = []
    let end: { readonly error?: Error } | undefined
    let wake: () => void = () => {}
    const finish = (error?: Error): void => {
      end ??= error === undefined ? {} : { error }
      wake()
    }
    const deliver = (): void => {
      arrived.push(...onTheWay)
      onTheWay = []
      wake()
    }
    using _watcher = this.#api.store.watch(resource, (commit) => {
      const events = eventOf<T>(commit, isSelected)
      if (events.length > 0 && onTheWay.length === 0) this.#clock.after(1 + this.#seeded.below(20), deliver)
      onTheWay.push(...events)
    })
    using _timeout = this.#clock.after((options.timeoutSeconds ?? 3_600) * 1_000, () => finish())
    const stop = (): void => finish()
    options.signal.addEventListener('abort', stop, { once: true })
    this.#streams.add(finish)
    try {
      for (;;) {
        const next = arrived.shift()
        if (next !== undefined) yield next
        else if (end?.error !== undefined) throw end.error
        else if (end !== undefined || options.signal.aborted) return
        else await new Promise<void>((resolve) => (wake = resolve))
      }
    } finally {
      options.signal.removeEventListener('abort', stop)
      this.#streams.delete(finish)
    }
  }

  async create<T extends KubeObject, R = T>(resource: ResourceType<T>, object: T | KubeObject, options: WriteOptions = {}): Promise<R> {
    if (options.subresource === 'eviction') {
      const { deleteOptions } = object as { readonly deleteOptions?: { readonly preconditions?: { readonly uid?: string } } }
      const key = { namespace: object.metadata?.namespace ?? '', name: object.metadata?.name ?? '' }
      await this.#request(() => {})
      await this.#api.evict(this.#actor, key, deleteOptions?.preconditions?.uid)
      return object as R
    }
    return this.#request(() => this.#api.create(this.#actor, resource, object) as unknown as R)
  }

  update<T extends KubeObject>(resource: ResourceType<T>, object: T, options: WriteOptions = {}): Promise<T> {
    const key = { namespace: object.metadata?.namespace ?? '', name: object.metadata?.name ?? '' }
    return this.patch(resource, key, { type: 'json', operations: [{ op: 'replace', path: '', value: object }] }, options)
  }

  patch<T extends KubeObject>(resource: ResourceType<T>, key: ObjectKey, patch: Patch, options: WriteOptions = {}): Promise<T> {
    return this.#request(() => this.#api.patch(this.#actor, resource, key, patch, options))
  }

  delete<T extends KubeObject>(resource: ResourceType<T>, key: ObjectKey, options: DeleteOptions = {}): Promise<void> {
    return this.#request(() => this.#api.delete(this.#actor, resource as ResourceType<KubeObject>, key, options))
  }

  /** Delays the request and, sometimes, the response, so that other requests overtake it. */
  async #request<R>(act: () => R): Promise<R> {
    if (this.#isDead) throw new TransportError('killed', { unsent: true })
    await this.#clock.sleep(1 + this.#seeded.below(8))
    if (this.#isDead && this.#seeded.chance(0.5)) throw new TransportError('killed')
    const result = act()
    if (this.#seeded.chance(0.25)) await this.#clock.sleep(1 + this.#seeded.below(40))
    if (this.#isDead) throw new TransportError('killed')
    return result
  }
}

function selects({ namespace, labelSelector }: Selection): (object: KubeObject) => boolean {
  const selector = labelSelector === undefined ? undefined : parseLabelSelector(labelSelector)
  return ({ metadata }) =>
    (namespace === undefined || metadata?.namespace === namespace) && (selector === undefined || selector.matches(metadata?.labels))
}

function eventOf<T extends KubeObject>({ before, after, revision }: Commit, isSelected: (object: KubeObject) => boolean): WatchEvent<T>[] {
  const [was, is] = [before !== undefined && isSelected(before), after !== undefined && isSelected(after)]
  if (is) return [{ type: was ? 'MODIFIED' : 'ADDED', object: after as T }]
  if (!was || before === undefined) return []
  return [{ type: 'DELETED', object: { ...before, metadata: { ...before.metadata, resourceVersion: String(revision) } } as T }]
}
