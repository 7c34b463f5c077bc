import { Fifo } from '../memory/fifo.ts'
import type { Change } from '../object-store.ts'

/** Bounds of the history in memory. Older changes are read from the log. */
export interface RingLimits {
  readonly changes: number
  /** Bytes of JSON that the changes hold. */
  readonly bytes: number
  readonly ageMs: number
}

/** Newest changes, in memory. */
export class ChangeRing {
  readonly #limits: RingLimits
  readonly #changes = new Fifo<{ readonly change: Change; readonly at: number; readonly bytes: number }>()
  #bytes = 0
  #oldest: number

  /** @param revision revision before the first change that will be pushed */
  constructor(limits: RingLimits, revision: number) {
    this.#limits = limits
    this.#oldest = revision
  }

  /** All changes after this revision are present. */
  get oldest(): number {
    return this.#oldest
  }

  get length(): number {
    return this.#changes.length
  }

  push(change: Change, at: number): void {
    const bytes = change.type === 'DELETED' ? 0 : change.entry.json.length
    this.#changes.push({ change, at, bytes })
    this.#bytes += bytes
    this.trim(at)
  }

  /** Drops changes beyond the limits. */
  trim(now: number): void {
    let count = 0
    for (let item = this.#changes.at(0); item !== undefined && this.#mustGo(item.at, count, now); item = this.#changes.at(count)) {
      this.#bytes -= item.bytes
      this.#oldest = item.change.revision
      count += 1
    }
    if (count > 0) this.#changes.drop(count)
  }

  #mustGo(at: number, dropped: number, now: number): boolean {
    return at <= now - this.#limits.ageMs || this.#changes.length - dropped > this.#limits.changes || this.#bytes > this.#limits.bytes
  }

  /** Returns changes of a resource ('' for all) after a revision that is not before `oldest`. */
  after(revision: number, resource: string): Change[] {
    const first = this.#changes.firstIndex((item) => item.change.revision > revision)
    const changes: Change[] = []
    for (const { change } of this.#changes.from(first)) {
      if (resource === '' || change.resource === resource) changes.push(change)
    }
    return changes
  }
}
