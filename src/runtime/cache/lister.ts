import type { KubeObject } from '#apimachinery/meta/object-meta.ts'

/** Read side of a local cache. Objects are shared and frozen in tests: never mutate them. */
export interface Lister<T extends KubeObject> {
  get(namespace: string, name: string): T | undefined
  /** All objects, or those of one namespace, in no particular order. */
  list(namespace?: string): readonly T[]
  /** Objects for which the named index function gave this value. */
  byIndex(index: string, value: string): readonly T[]
}

/** Computes the values under which an object is found by {@link Lister.byIndex}. */
export type IndexFunction<T> = (object: T) => readonly string[]

/** Change of an object in the local cache. */
export type CacheEvent<T> = { type: 'added'; object: T } | { type: 'updated'; object: T; old: T } | { type: 'deleted'; object: T }

/** A cache kept in sync by list and watch. */
export interface Informer<T extends KubeObject> extends Lister<T> {
  /** Registers a listener; cached objects are replayed as `added`. Dispose to unregister. */
  onEvent(listener: (event: CacheEvent<T>) => void): Disposable
  /** Adds an index; may be called before or after the start. */
  addIndex(name: string, index: IndexFunction<T>): void
  /** Resolves when the first complete list is in the cache. */
  synced(signal?: AbortSignal): Promise<void>
  readonly hasSynced: boolean
}
