import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { keyOf } from '#apimachinery/meta/resource-type.ts'
import type { IndexFunction } from './lister.ts'

/** Objects by namespace and name, with indexes. Knows nothing of versions or events. */
export class ObjectMap<T extends KubeObject> {
  readonly #namespaces = new Map<string, Map<string, T>>()
  readonly #indexes = new Map<string, Index<T>>()
  #all: readonly T[] | undefined
  #size = 0

  get size(): number {
    return this.#size
  }

  get(namespace: string, name: string): T | undefined {
    return this.#namespaces.get(namespace)?.get(name)
  }

  /** A snapshot: later changes do not show in it. */
  list(namespace?: string): readonly T[] {
    if (namespace !== undefined) return [...(this.#namespaces.get(namespace)?.values() ?? [])]
    this.#all ??= [...this.#namespaces.values()].flatMap((objects) => [...objects.values()])
    return this.#all
  }

  byIndex(name: string, value: string): readonly T[] {
    const index = this.#indexes.get(name)
    if (index === undefined) throw new RangeError(`Index "${name}" must be added before it is read`)
    return index.find(value)
  }

  addIndex(name: string, values: IndexFunction<T>): void {
    const index = new Index(values)
    for (const object of this.list()) index.add(object)
    this.#indexes.set(name, index)
  }

  set(object: T): void {
    const { namespace, name } = keyOf(object)
    const objects = this.#namespaces.getOrInsertComputed(namespace, () => new Map<string, T>())
    const old = objects.get(name)
    objects.set(name, object)
    if (old === undefined) this.#size++
    for (const index of this.#indexes.values()) {
      if (old !== undefined) index.remove(old)
      index.add(object)
    }
    this.#all = undefined
  }

  delete(object: T): void {
    const { namespace, name } = keyOf(object)
    const objects = this.#namespaces.get(namespace)
    const old = objects?.get(name)
    if (objects === undefined || old === undefined) return
    objects.delete(name)
    if (objects.size === 0) this.#namespaces.delete(namespace)
    this.#size--
    for (const index of this.#indexes.values()) index.remove(old)
    this.#all = undefined
  }
}

/** Objects of one index value; a list from the first read until the next change. */
interface Bucket<T> {
  readonly objects: Set<T>
  list: readonly T[] | undefined
}

/** Stores the computed values, so that the index function is not called for deleted objects. */
class Index<T extends KubeObject> {
  readonly #function: IndexFunction<T>
  readonly #byValue = new Map<string, Bucket<T>>()
  readonly #values = new Map<T, readonly string[]>()

  constructor(values: IndexFunction<T>) {
    this.#function = values
  }

  find(value: string): readonly T[] {
    const bucket = this.#byValue.get(value)
    return bucket === undefined ? [] : (bucket.list ??= [...bucket.objects])
  }

  add(object: T): void {
    const values = this.#function(object)
    this.#values.set(object, values)
    for (const value of values) {
      const bucket = this.#byValue.getOrInsertComputed(value, () => ({ objects: new Set<T>(), list: undefined }))
      bucket.objects.add(object)
      bucket.list = undefined
    }
  }

  remove(object: T): void {
    for (const value of this.#values.get(object) ?? []) {
      const bucket = this.#byValue.get(value)
      if (bucket === undefined) continue
      bucket.objects.delete(object)
      bucket.list = undefined
      if (bucket.objects.size === 0) this.#byValue.delete(value)
    }
    this.#values.delete(object)
  }
}
