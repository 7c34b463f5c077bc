import { createHash } from 'node:crypto'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { groupResourceOf, type ObjectKey, type ResourceType } from '#apimachinery/meta/resource-type.ts'
import { deepFreeze } from '#runtime/cache/deep-freeze.ts'
import type { Clock } from '#runtime/clock/clock.ts'

/** A stored change. */
export interface Commit {
  /** Name of the writer: `virt-controller`, `kubelet/n3`. */
  readonly actor: string
  readonly resource: ResourceType<unknown>
  readonly revision: number
  /** Undefined for a creation. */
  readonly before: KubeObject | undefined
  /** Undefined for a deletion. */
  readonly after: KubeObject | undefined
}

/** An object with an owner, which is deleted with it. */
export interface Dependent {
  readonly resource: ResourceType<KubeObject>
  readonly key: ObjectKey
}

interface Table {
  readonly objects: Map<string, KubeObject>
  readonly watchers: Set<(commit: Commit) => void>
  log: Commit[]
  /** Oldest revision that a watch can start from. */
  oldest: number
}

/** Number of changes per kind that are kept for watches. */
const keptChanges = 4_000

/**
 * All objects of a cluster in memory, with a hash of their history: equal histories have equal
 * hashes.
 */
export class Store {
  revision = 1_000
  writes = 0
  /** Called at each change, before any other process can act. */
  readonly listeners = new Set<(commit: Commit) => void>()
  readonly #clock: Pick<Clock, 'now'>
  readonly #tables = new Map<string, Table>()
  readonly #dependents = new Map<string, Map<string, Dependent>>()
  readonly #history = createHash('sha256')
  #uids = 0

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  get<T extends KubeObject>(resource: ResourceType<T>, key: ObjectKey): T | undefined {
    return this.#tableOf(resource).objects.get(pathOf(key)) as T | undefined
  }

  all<T extends KubeObject>(resource: ResourceType<T>): IterableIterator<T> {
    return this.#tableOf(resource).objects.values() as IterableIterator<T>
  }

  /** Stores or deletes an object under a new revision. */
  commit<T extends KubeObject>(actor: string, resource: ResourceType<T>, key: ObjectKey, object: KubeObject | undefined): T {
    const table = this.#tableOf(resource)
    const path = pathOf(key)
    const before = table.objects.get(path)
    const revision = ++this.revision
    const stamped = { ...(object ?? before), metadata: { ...(object ?? before)?.metadata, resourceVersion: String(revision) } }
    const after = object === undefined ? undefined : deepFreeze(stamped)
    if (after === undefined) table.objects.delete(path)
    else table.objects.set(path, after)
    this.#index(resource, key, before, after)
    const commit = { actor, resource, revision, before, after }
    table.log.push(commit)
    if (table.log.length > 2 * keptChanges) this.#forget(table)
    this.writes++
    this.#history.update(`${this.#clock.now()} ${actor} ${groupResourceOf(resource)} ${path} ${digestOf(before, after)}\n`)
    for (const listener of this.listeners) listener(commit)
    for (const watcher of table.watchers) watcher(commit)
    return stamped as unknown as T
  }

  /** Returns the changes after a revision; undefined when some of them were dropped. */
  since(resource: ResourceType<unknown>, revision: number): readonly Commit[] | undefined {
    const { log, oldest } = this.#tableOf(resource)
    return revision < oldest ? undefined : log.filter((commit) => commit.revision > revision)
  }

  watch(resource: ResourceType<unknown>, watcher: (commit: Commit) => void): Disposable {
    const { watchers } = this.#tableOf(resource)
    watchers.add(watcher)
    return { [Symbol.dispose]: () => void watchers.delete(watcher) }
  }

  /** Returns the objects that the object with this uid owns. */
  dependentsOf(uid: string): readonly Dependent[] {
    return [...(this.#dependents.get(uid)?.values() ?? [])]
  }

  newUid(): string {
    return `uid-${++this.#uids}`
  }

  /** Returns a hash of all writes, their writers and times. */
  hash(): string {
    return this.#history.copy().digest('hex')
  }

  #tableOf(resource: ResourceType<unknown>): Table {
    return this.#tables.getOrInsertComputed(groupResourceOf(resource), () => ({
      objects: new Map(),
      watchers: new Set(),
      log: [],
      oldest: 0,
    }))
  }

  #forget(table: Table): void {
    table.oldest = table.log.at(-keptChanges - 1)?.revision ?? 0
    table.log = table.log.slice(-keptChanges)
  }

  #index(resource: ResourceType<unknown>, key: ObjectKey, before: KubeObject | undefined, after: KubeObject | undefined): void {
    if (before !== undefined && after !== undefined) return
    const path = `${groupResourceOf(resource)}/${pathOf(key)}`
    for (const { uid } of (before ?? after)?.metadata?.ownerReferences ?? []) {
      const owned = this.#dependents.getOrInsertComputed(uid, () => new Map<string, Dependent>())
      if (after === undefined) owned.delete(path)
      else owned.set(path, { resource: resource as ResourceType<KubeObject>, key })
      if (owned.size === 0) this.#dependents.delete(uid)
    }
  }
}

function pathOf({ namespace = '', name }: ObjectKey): string {
  return `${namespace}/${name}`
}

/** Formats a change without the unchanged fields, which are nearly all. */
function digestOf(before: KubeObject | undefined, after: KubeObject | undefined): string {
  return after === undefined ? 'gone' : JSON.stringify(changedIn(before, after, 2))
}

function changedIn(before: unknown, after: unknown, depth: number): unknown {
  if (depth === 0 || !isMap(before) || !isMap(after)) return after
  const gone = Object.keys(before).filter((field) => !(field in after))
  const fields = Object.entries(after).filter(([field, value]) => before[field] !== value)
  return [gone, ...fields.map(([field, value]) => [field, changedIn(before[field], value, depth - 1)])]
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
