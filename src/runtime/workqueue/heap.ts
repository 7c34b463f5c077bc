/** A binary heap: `pop` gives the least element. */
export class Heap<E> {
  readonly #elements: E[] = []
  readonly #compare: (a: E, b: E) => number

  constructor(compare: (a: E, b: E) => number) {
    this.#compare = compare
  }

  get size(): number {
    return this.#elements.length
  }

  peek(): E | undefined {
    return this.#elements[0]
  }

  push(element: E): void {
    this.#elements.push(element)
    let child = this.#elements.length - 1
    while (child > 0) {
      const parent = (child - 1) >> 1
      if (!this.#swapIfWrong(parent, child)) return
      child = parent
    }
  }

  pop(): E | undefined {
    const first = this.#elements[0]
    const last = this.#elements.pop()
    if (first === undefined || last === undefined || this.#elements.length === 0) return first
    this.#elements[0] = last
    this.#sink()
    return first
  }

  #sink(): void {
    for (let parent = 0; ;) {
      const left = parent * 2 + 1
      if (left >= this.#elements.length) return
      const right = left + 1
      const child = right < this.#elements.length && this.#order(right, left) < 0 ? right : left
      if (!this.#swapIfWrong(parent, child)) return
      parent = child
    }
  }

  #swapIfWrong(parent: number, child: number): boolean {
    if (this.#order(parent, child) <= 0) return false
    const moved = this.#elements[parent] as E
    this.#elements[parent] = this.#elements[child] as E
    this.#elements[child] = moved
    return true
  }

  #order(a: number, b: number): number {
    return this.#compare(this.#elements[a] as E, this.#elements[b] as E)
  }
}
