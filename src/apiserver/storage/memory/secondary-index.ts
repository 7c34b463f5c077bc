import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { Entry } from '../object-store.ts'

/** Index of object keys by the values that a function returns. */
export class SecondaryIndex {
  readonly #values: (object: KubeObject) => readonly string[]
  readonly #onError: (error: unknown) => void
  readonly #keys = new Map<string, Set<string>>()

  constructor(values: (object: KubeObject) => readonly string[], onError: (error: unknown) => void) {
    this.#values = values
    this.#onError = onError
  }

  /** Sorted keys with this value. */
  keys(value: string): readonly string[] {
    const keys = this.#keys.get(value)
    return keys === undefined ? [] : [...keys].toSorted(compareKeys)
  }

  update(key: string, before: Entry | undefined, after: Entry | undefined): void {
    const removed = before === undefined ? [] : this.#valuesOf(before)
    const added = after === undefined ? [] : this.#valuesOf(after)
    for (const value of removed) if (!added.includes(value)) this.#remove(value, key)
    for (const value of added) if (!removed.includes(value)) this.#add(value, key)
  }

  #add(value: string, key: string): void {
    const keys = this.#keys.get(value)
    if (keys === undefined) this.#keys.set(value, new Set([key]))
    else keys.add(key)
  }

  #remove(value: string, key: string): void {
    const keys = this.#keys.get(value)
    if (keys?.delete(key) === true && keys.size === 0) this.#keys.delete(value)
  }

  /**
   * The change is already committed: when the function throws, the object is missing from this
   * index only.
   */
  #valuesOf(entry: Entry): readonly string[] {
    try {
      return this.#values(entry.object)
    } catch (error) {
      this.#onError(error)
      return []
    }
  }
}

/** Compares by UTF-16 code units, independent of the locale. */
export function compareKeys(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
