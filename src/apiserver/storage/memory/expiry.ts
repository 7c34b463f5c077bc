import { Fifo } from './fifo.ts'

/** One state of an object with a time to live. */
export interface Expiring {
  readonly resource: string
  readonly key: string
  readonly revision: number
  /** Milliseconds since the epoch. */
  readonly at: number
}

/**
 * Expiry times of objects with a time to live. One queue per resource: with one lifetime each,
 * write order is expiry order.
 */
export class Expiry {
  readonly #ttlMs: ReadonlyMap<string, number>
  readonly #queues = new Map<string, Fifo<Expiring>>()

  constructor(ttlMs: ReadonlyMap<string, number>) {
    this.#ttlMs = ttlMs
  }

  /** Records a write, which restarts the object's lifetime. */
  note(resource: string, key: string, revision: number, writtenAt: number): void {
    const ttlMs = this.#ttlMs.get(resource)
    if (ttlMs === undefined) return
    const queue = this.#queues.get(resource) ?? new Fifo()
    this.#queues.set(resource, queue)
    queue.push({ resource, key, revision, at: writtenAt + ttlMs })
  }

  /**
   * Removes and returns expired records. The caller must check that the object is still at that
   * revision.
   */
  take(now: number, max: number): Expiring[] {
    const ended: Expiring[] = []
    for (const queue of this.#queues.values()) {
      let count = 0
      for (let item = queue.at(0); item !== undefined && item.at <= now && ended.length < max; item = queue.at(count)) {
        ended.push(item)
        count += 1
      }
      if (count > 0) queue.drop(count)
    }
    return ended
  }

  /** Time at which the next object expires, in milliseconds since the epoch. */
  nextDue(): number | undefined {
    let next: number | undefined
    for (const queue of this.#queues.values()) {
      const at = queue.at(0)?.at
      if (at !== undefined && (next === undefined || at < next)) next = at
    }
    return next
  }
}
