import type { WatchOutput } from '../request/api-request.ts'

/** Number of consumed events at the front of the queue before they are removed. */
const readAhead = 1024

/** Buffer between a synchronous watch and a slow reader. */
export class WatchBuffer {
  readonly #limit: number
  readonly #onOverflow: () => void
  #queue: WatchOutput[] = []
  #next = 0
  #waiting: PromiseWithResolvers<void> | undefined
  #ended = false

  /**
   * @param onOverflow called when the reader is more than `limit` changes behind; later events are
   * dropped
   */
  constructor(limit: number, onOverflow: () => void) {
    this.#limit = limit
    this.#onOverflow = onOverflow
  }

  /** True if no more events will come. Buffered ones can still be read. */
  get ended(): boolean {
    return this.#ended
  }

  push(output: WatchOutput): void {
    if (this.#ended) return
    // Only changes count: the initial state arrives at once and is bounded.
    const isChange = output.type !== 'BOOKMARK' && output.change !== undefined
    if (isChange && this.#queue.length - this.#next >= this.#limit) {
      this.end()
      this.#onOverflow()
      return
    }
    this.#queue.push(output)
    this.#waiting?.resolve()
  }

  shift(): WatchOutput | undefined {
    const output = this.#queue[this.#next]
    if (output === undefined) return undefined
    this.#next += 1
    if (this.#next === this.#queue.length) this.#drop(this.#next)
    else if (this.#next >= readAhead && this.#next * 2 >= this.#queue.length) this.#drop(this.#next)
    return output
  }

  end(): void {
    this.#ended = true
    this.#waiting?.resolve()
  }

  /** Resolves when there is an event or the end. */
  async filled(): Promise<void> {
    if (this.#queue.length > this.#next || this.#ended) return
    this.#waiting = Promise.withResolvers()
    await this.#waiting.promise
    this.#waiting = undefined
  }

  #drop(count: number): void {
    this.#queue = this.#queue.slice(count)
    this.#next = 0
  }
}
