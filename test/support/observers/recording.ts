import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { isExpired } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'

interface Change {
  readonly at: bigint
  readonly resource: ResourceType<KubeObject>
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly object: KubeObject
}

/**
 * Records every stored object of some kinds, in the order of their resource versions. Watches miss
 * no change, so that every intermediate state can be checked.
 */
export class Recording implements Disposable {
  readonly #client: Client
  readonly #changes: Change[] = []
  readonly #initial: Change[] = []
  readonly #stop = new AbortController()
  #count = 0

  constructor(client: Client) {
    this.#client = client
  }

  /** Number of recorded changes. */
  get count(): number {
    return this.#count
  }

  /** Starts while there are no writes, so that the lists of all kinds have the same state. */
  async start(resources: readonly ResourceType<KubeObject>[]): Promise<void> {
    for (const resource of resources) {
      const { items, metadata } = await this.#client.list(resource)
      for (const object of items) this.#initial.push({ at: 0n, resource, type: 'ADDED', object: { ...object, kind: resource.kind } })
      void this.#follow(resource, metadata?.resourceVersion ?? '')
    }
  }

  async #follow(resource: ResourceType<KubeObject>, from: string): Promise<void> {
    const { signal } = this.#stop
    let resourceVersion = from
    while (!signal.aborted) {
      try {
        for await (const { type, object } of this.#client.watch(resource, { resourceVersion, signal, allowWatchBookmarks: true })) {
          resourceVersion = object.metadata?.resourceVersion ?? resourceVersion
          if (type === 'BOOKMARK') continue
          this.#count += 1
          this.#changes.push({ at: BigInt(resourceVersion), resource, type, object: { ...object, kind: resource.kind } })
        }
      } catch (error) {
        // Without the changes in between the recording would be worth nothing.
        if (isExpired(error)) throw error
      }
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  /** Replays all changes into `state`. Calls `onStart` after the initial objects. */
  play(state: Replayed, onStart: () => void): void {
    const ordered = this.#changes.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
    for (const change of this.#initial) state.take(change)
    onStart()
    for (const change of ordered) {
      state.take(change)
      const verb = change.type === 'ADDED' ? 'create' : change.type === 'DELETED' ? 'delete' : 'update'
      state.onWrite(verb, change.object)
    }
  }

  [Symbol.dispose](): void {
    this.#stop.abort()
  }
}

/** Recorded state at one moment. Has the interface of the API in memory that checkers watch. */
export class Replayed {
  /** Name of the writing process: only controllers write. */
  process = 'upgrader'
  onWrite: (verb: string, object: KubeObject) => void = () => {}
  readonly #objects = new Map<string, Map<string, KubeObject>>()

  get<T extends KubeObject>(resource: ResourceType<T>, namespace: string, name: string): T | undefined {
    return this.#objects.get(resource.plural)?.get(`${namespace}/${name}`) as T | undefined
  }

  list<T extends KubeObject>(resource: ResourceType<T>): T[] {
    return [...(this.#objects.get(resource.plural)?.values() ?? [])] as T[]
  }

  take({ resource, type, object }: Pick<Change, 'resource' | 'type' | 'object'>): void {
    const objects = this.#objects.get(resource.plural) ?? new Map<string, KubeObject>()
    this.#objects.set(resource.plural, objects)
    const key = `${object.metadata?.namespace ?? ''}/${object.metadata?.name ?? ''}`
    if (type === 'DELETED') objects.delete(key)
    else objects.set(key, object)
  }
}
