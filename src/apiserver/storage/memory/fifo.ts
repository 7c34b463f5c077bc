/** Queue with random access: an array with a moving head. */
export class Fifo<T> {
  #items: T[] = []
  #head = 0

  get length(): number {
    return this.#items.length - this.#head
  }

  push(item: T): void {
    this.#items.push(item)
  }

  /** Index 0 is the oldest. */
  at(index: number): T | undefined {
    return index < 0 ? undefined : this.#items[this.#head + index]
  }

  /** Removes the oldest items. */
  drop(count: number): void {
    const end = Math.min(this.#head + count, this.#items.length)
    // Cleared now for the garbage collector; the array itself is cut rarely, as that copies the
    // rest.
    this.#items.fill(undefined as T, this.#head, end)
    this.#head = end
    if (this.#head > 1024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head)
      this.#head = 0
    }
  }

  /**
   * Returns the index of the first item that fulfils a condition that is monotonic over the queue.
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

  /** Copies the items from an index on. */
  from(index: number): T[] {
    return this.#items.slice(this.#head + index)
  }
}
