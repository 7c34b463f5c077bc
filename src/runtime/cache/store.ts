import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { keyOf } from '#apimachinery/meta/resource-type.ts'
import { compareResourceVersions } from '#client/resource-version.ts'
import type { CacheEvent } from './lister.ts'
import type { ObjectMap } from './object-map.ts'

/** Maximum number of tombstones. They keep a late event from restoring a deleted object. */
const tombstoneLimit = 1024

/** Options of a {@link VersionedStore}. */
export interface VersionedStoreOptions {
  /**
   * Reports whether an object may leave and return with the same uid, because of a selector.
   * Without a selector a deletion is final for a uid.
   */
  readonly filtered: boolean
}

/**
 * Applies lists and watch events to a map of objects, and returns the changes. It never goes back
 * to an older version of an object: duplicates, replays after a reconnect and reordered events are
 * ignored.
 */
export class VersionedStore<T extends KubeObject> {
  readonly #objects: ObjectMap<T>
  readonly #filtered: boolean
  /** Deletion version by uid, oldest first. */
  readonly #tombstones = new Map<string, string>()

  constructor(objects: ObjectMap<T>, options: VersionedStoreOptions) {
    this.#objects = objects
    this.#filtered = options.filtered
  }

  /** An ADDED or MODIFIED event: the two are the same to a cache. */
  upsert(object: T): readonly CacheEvent<T>[] {
    if (this.#isBuried(object)) return []
    const { namespace, name } = keyOf(object)
    const old = this.#objects.get(namespace, name)
    if (old !== undefined && !isNewer(object, old)) return []
    return this.#replaceOne(old, object)
  }

  /** A DELETED event. The object may carry its last content or only its key. */
  remove(object: T): readonly CacheEvent<T>[] {
    const { namespace, name } = keyOf(object)
    const old = this.#objects.get(namespace, name)
    if (!this.#mayRemove(object, old)) return []
    this.#bury(object)
    if (old === undefined) return []
    this.#objects.delete(old)
    return [{ type: 'deleted', object: newest(object, old) }]
  }

  /**
   * Applies a complete list: other objects were deleted. With `restored` the server was restored
   * from a backup, and its older objects are right.
   */
  replace(items: readonly T[], restored: boolean): readonly CacheEvent<T>[] {
    if (restored) this.#tombstones.clear()
    const seen = new Set<string>()
    const events: CacheEvent<T>[] = []
    for (const item of items) {
      const { namespace, name } = keyOf(item)
      seen.add(`${namespace}/${name}`)
      const old = this.#objects.get(namespace, name)
      const accepted = restored ? !sameVersion(item, old) : isNewer(item, old)
      if (accepted) events.push(...this.#replaceOne(old, item))
    }
    for (const old of this.#objects.list()) {
      const { namespace, name } = keyOf(old)
      if (seen.has(`${namespace}/${name}`)) continue
      this.#objects.delete(old)
      events.push({ type: 'deleted', object: old })
    }
    return events
  }

  /**
   * A new uid under an old name is another object: its predecessor is reported as deleted first.
   */
  #replaceOne(old: T | undefined, object: T): CacheEvent<T>[] {
    this.#objects.set(object)
    if (old === undefined) return [{ type: 'added', object }]
    if (sameUid(object, old)) return [{ type: 'updated', object, old }]
    return [
      { type: 'deleted', object: old },
      { type: 'added', object },
    ]
  }

  #mayRemove(object: T, old: T | undefined): boolean {
    if (old === undefined) return true
    const order = compareResourceVersions(object.metadata?.resourceVersion, old.metadata?.resourceVersion)
    if (!sameUid(object, old)) return order === undefined ? false : order > 0
    return !this.#filtered || order === undefined || order >= 0
  }

  #bury(object: T): void {
    const { uid, resourceVersion } = object.metadata ?? {}
    if (uid === undefined) return
    this.#tombstones.delete(uid)
    this.#tombstones.set(uid, resourceVersion ?? '')
    if (this.#tombstones.size > tombstoneLimit) this.#tombstones.delete(this.#tombstones.keys().next().value ?? '')
  }

  #isBuried(object: T): boolean {
    const { uid, resourceVersion } = object.metadata ?? {}
    const buried = uid === undefined ? undefined : this.#tombstones.get(uid)
    if (buried === undefined) return false
    const order = compareResourceVersions(resourceVersion, buried)
    return order !== undefined && order <= 0
  }
}

function sameUid(a: KubeObject, b: KubeObject): boolean {
  return a.metadata?.uid === b.metadata?.uid
}

function sameVersion(a: KubeObject, b: KubeObject | undefined): boolean {
  return b !== undefined && sameUid(a, b) && a.metadata?.resourceVersion === b.metadata?.resourceVersion
}

function isNewer(object: KubeObject, old: KubeObject | undefined): boolean {
  if (old === undefined) return true
  if (sameVersion(object, old)) return false
  return (compareResourceVersions(object.metadata?.resourceVersion, old.metadata?.resourceVersion) ?? 1) > 0
}

function newest<T extends KubeObject>(object: T, old: T): T {
  return isNewer(object, old) ? object : old
}
