import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { IndexFunction, Informer, Lister } from '#runtime/cache/lister.ts'
import { ownerUids } from '#features/instancetype/index.ts'
import type { SimulatedApi } from './simulated-api.fixture.ts'

/** Caches of a process, each kind with its own lag. */
export class SimulatedCache {
  readonly #api: SimulatedApi
  readonly #seen = new Map<string, number>()
  readonly #objects = new Map<string, Map<string, KubeObject>>()
  readonly #indexes = new Map<string, IndexFunction<never>>()

  constructor(api: SimulatedApi) {
    this.#api = api
  }

  /** Delivers a share of the outstanding changes of a kind. */
  follow(resource: ResourceType<unknown>, share = 1): void {
    const from = this.#seen.get(resource.plural) ?? 0
    const to = from + Math.ceil((this.#api.changes.length - from) * share)
    const items = this.#objects.get(resource.plural) ?? new Map<string, KubeObject>()
    this.#objects.set(resource.plural, items)
    for (const { plural, key, object } of this.#api.changes.slice(from, to)) {
      if (plural !== resource.plural) continue
      if (object === undefined) items.delete(key)
      else items.set(key, object)
    }
    this.#seen.set(resource.plural, to)
  }

  /** Returns an informer with indexes and without events. */
  informer<T extends KubeObject>(resource: ResourceType<T>): Informer<T> {
    const all = (): readonly T[] => [...(this.#objects.get(resource.plural)?.values() ?? [])] as T[]
    const indexKey = (name: string): string => `${resource.plural} ${name}`
    return {
      get: (namespace, name) => this.#objects.get(resource.plural)?.get(`${resource.namespaced ? namespace : ''}/${name}`) as T | undefined,
      list: (namespace) => all().filter(({ metadata }) => namespace === undefined || metadata?.namespace === namespace),
      byIndex: (name, value) => {
        const keysOf = this.#indexes.get(indexKey(name)) ?? ownerUids
        return all().filter((object) => keysOf(object as never).includes(value))
      },
      addIndex: (name, index) => void this.#indexes.set(indexKey(name), index as IndexFunction<never>),
      onEvent: () => ({ [Symbol.dispose]: () => {} }),
      synced: async () => {},
      hasSynced: true,
    }
  }

  /** Returns the lister of a kind. */
  lister<T extends KubeObject>(resource: ResourceType<T>): Lister<T> {
    return this.informer(resource)
  }
}
