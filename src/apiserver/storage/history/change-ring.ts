import { Fifo } from '../memory/fifo.ts'
import type { Change } from '../object-store.ts'

/** How much history stays in memory. Older changes are read from the log. */
export interface RingLimits {
  readonly changes: number
  /** Bytes of JSON that the changes hold. */
  readonly bytes: number
  readonly ageMs: number
}

/** The newest changes, in memory. */
export class ChangeRing {
  readonly #limits: RingLimits
  readonly #changes = new Fifo<{ readonly change: Change; readonly at: number; readonly bytes: number }>()
  #bytes = 0
  #oldest: number

  /** @param revision after which all changes will be pushed */
  constructor(limits: RingLimits, revision: number) {
    this.#limits = limits
    this.#oldest = revision
  }

  /** Changes after this revision are all here. */
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

  /** Forgets what is past the limits. */
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

  /** Changes of a resource ('' for all) after a revision that is not before `oldest`. */
  after(revision: number, resource: string): Change[] {
    const first = this.#changes.firstIndex((item) => item.change.revision > revision)
    const changes: Change[] = []
    for (const { change } of this.#changes.from(first)) {
      if (resource === '' || change.resource === resource) changes.push(change)
    }
    return changes
  }
}
