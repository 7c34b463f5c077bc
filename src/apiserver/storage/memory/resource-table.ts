import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { Change, Entry } from '../object-store.ts'
import type { PendingWrite } from './pending-write.ts'
import { compareKeys, SecondaryIndex } from './secondary-index.ts'

/** A live object. */
export interface Slot {
  readonly key: string
  /** Row in `obj`. */
  readonly kid: number
  readonly entry: Entry
  /** Revision before this one, or 0. */
  readonly prior: number
}

/** A deleted object whose row in `obj` must be reused by the next object of the same name. */
export interface Tombstone {
  readonly kid: number
  readonly revision: number
}

/** Up to this number, new keys are inserted one by one. */
const fewKeys = 32

/** Key that sorts by namespace, then name. Neither can contain the separator. */
export function objectKey(namespace: string, name: string): string {
  return `${namespace}\0${name}`
}

/** Committed objects of one resource, and its pending writes. */
export class ResourceTable {
  readonly resource: string
  /** Row in `res`. */
  readonly rid: number
  /** Newest pending write by key. */
  readonly pending: Map<string, PendingWrite> = new Map()
  readonly tombstones: Map<string, Tombstone> = new Map()
  /** True if the row in `res` is committed. */
  persisted: boolean
  /** Revision of the newest change. */
  changedAt = 0
  /**
   * Changes up to this revision cannot be replayed from the log, as states that they need were
   * dropped early.
   */
  logFloor = 0
  readonly #slots = new Map<string, Slot>()
  readonly #indexes = new Map<string, SecondaryIndex>()
  #keys: string[] = []
  /**
   * Keys added since `#keys` was last read. Inserting each at once would move half of a large table
   * per create.
   */
  readonly #newKeys = new Set<string>()
  /** All entries, sorted, until the next change. */
  #listed: readonly Entry[] | undefined
  readonly #onError: (error: unknown) => void

  constructor(resource: string, rid: number, persisted: boolean, onError: (error: unknown) => void) {
    this.resource = resource
    this.rid = rid
    this.persisted = persisted
    this.#onError = onError
  }

  get size(): number {
    return this.#slots.size
  }

  slot(key: string): Slot | undefined {
    return this.#slots.get(key)
  }

  /** Sorted by key. */
  list(namespace?: string): readonly Entry[] {
    if (namespace !== undefined) return this.#entries(this.keys(namespace))
    this.#listed ??= this.#entries(this.#sortedKeys())
    return this.#listed
  }

  /** Sorted keys of one namespace or all. */
  keys(namespace?: string): readonly string[] {
    const keys = this.#sortedKeys()
    if (namespace === undefined) return keys
    return keys.slice(firstAtOrAfter(keys, `${namespace}\0`), firstAtOrAfter(keys, `${namespace}\x01`))
  }

  byIndex(index: string, value: string): Entry[] {
    return this.#entries(this.#index(index).keys(value))
  }

  addIndex(name: string, values: (object: KubeObject) => readonly string[]): void {
    const index = new SecondaryIndex(values, this.#onError)
    for (const slot of this.#slots.values()) index.update(slot.key, undefined, slot.entry)
    this.#indexes.set(name, index)
  }

  /** Fills an empty table from disk, in any order. */
  load(slots: readonly Slot[]): void {
    for (const slot of slots) {
      this.#slots.set(slot.key, slot)
      this.changedAt = Math.max(this.changedAt, slot.entry.revision)
    }
    this.#listed = undefined
    this.#keys = [...this.#slots.keys()].toSorted(compareKeys)
  }

  /** Publishes a committed write. */
  apply(write: PendingWrite): Change {
    const before = this.#slots.get(write.key)
    if (write.type === 'DELETED') this.#delete(write)
    else this.#set(write, before)
    for (const index of this.#indexes.values()) {
      index.update(write.key, before?.entry, write.type === 'DELETED' ? undefined : write.entry)
    }
    if (this.pending.get(write.key) === write) this.pending.delete(write.key)
    this.changedAt = write.revision
    this.#listed = undefined
    return { type: write.type, resource: this.resource, revision: write.revision, entry: write.entry, previous: before?.entry }
  }

  #entries(keys: readonly string[]): Entry[] {
    return keys.map((key) => (this.#slots.get(key) as Slot).entry)
  }

  #set(write: PendingWrite, before: Slot | undefined): void {
    this.#slots.set(write.key, { key: write.key, kid: write.kid, entry: write.entry, prior: write.prior })
    this.tombstones.delete(write.key)
    if (before === undefined) this.#newKeys.add(write.key)
  }

  #delete(write: PendingWrite): void {
    this.#slots.delete(write.key)
    this.tombstones.set(write.key, { kid: write.kid, revision: write.revision })
    if (!this.#newKeys.delete(write.key)) this.#keys.splice(firstAtOrAfter(this.#keys, write.key), 1)
  }

  #sortedKeys(): readonly string[] {
    // For a few keys insertion is faster than a merge of the whole table.
    if (this.#newKeys.size <= fewKeys) for (const key of this.#newKeys) this.#keys.splice(firstAtOrAfter(this.#keys, key), 0, key)
    else this.#keys = [...this.#keys, ...[...this.#newKeys].toSorted(compareKeys)].toSorted(compareKeys)
    this.#newKeys.clear()
    return this.#keys
  }

  #index(name: string): SecondaryIndex {
    const index = this.#indexes.get(name)
    if (index === undefined) throw new UnknownIndex(this.resource, name)
    return index
  }
}

/** The index was not added: a bug in the caller. */
export class UnknownIndex extends Error {
  override readonly name = 'UnknownIndex'
  constructor(resource: string, index: string) {
    super(`resource "${resource}" has no index "${index}": call addIndex first`)
  }
}

function firstAtOrAfter(keys: readonly string[], key: string): number {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((keys[middle] as string) < key) low = middle + 1
    else high = middle
  }
  return low
}
