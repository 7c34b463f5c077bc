import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { Entry } from '../object-store.ts'

/** Keys of the objects for which a function gave a value. */
export class SecondaryIndex {
  readonly #values: (object: KubeObject) => readonly string[]
  readonly #onError: (error: unknown) => void
  readonly #keys = new Map<string, Set<string>>()

  constructor(values: (object: KubeObject) => readonly string[], onError: (error: unknown) => void) {
    this.#values = values
    this.#onError = onError
  }

  /** Keys with this value, sorted. */
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
   * The change is committed already: a function that throws costs the object its place in this
   * index, not the others their news.
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

/** By UTF-16 code units; the same on every machine. */
export function compareKeys(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
