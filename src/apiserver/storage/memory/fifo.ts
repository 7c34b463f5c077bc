/** Queue that is cheap at both ends and can be searched: an array with a moving head. */
export class Fifo<T> {
  #items: T[] = []
  #head = 0

  get length(): number {
    return this.#items.length - this.#head
  }

  push(item: T): void {
    this.#items.push(item)
  }

  /** The oldest is 0. */
  at(index: number): T | undefined {
    return index < 0 ? undefined : this.#items[this.#head + index]
  }

  /** Removes the oldest ones. */
  drop(count: number): void {
    const end = Math.min(this.#head + count, this.#items.length)
    // Let the dropped ones be collected before the array is cut: cutting each time would copy the
    // rest each time.
    this.#items.fill(undefined as T, this.#head, end)
    this.#head = end
    if (this.#head > 1024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head)
      this.#head = 0
    }
  }

  /**
   * Index of the first item that fulfils a condition which, once true, stays true towards the
   * newest.
   */
  firstIndex(condition: (item: T) => boolean): number {
    let low = 0
    let high = this.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (condition(this.#items[this.#head + middle] as T)) high = middle
      else low = middle + 1
    }
    return low
  }

  /** Items from an index on; a copy. */
  from(index: number): T[] {
    return this.#items.slice(this.#head + index)
  }
}
