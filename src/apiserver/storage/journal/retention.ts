import { Fifo } from '../memory/fifo.ts'

/**
 * Bounds of the history on disk. A change is kept while it is one of the newest or young, and bytes
 * allow.
 */
export interface RetentionLimits {
  /** Number of newest changes that are kept at any age. */
  readonly changes: number
  /** Changes younger than this are kept. */
  readonly ageMs: number
  /** Total size of the replaced states. Takes precedence over number and age. */
  readonly bytes: number
}

/** Rows that the log keeps for one change besides live states. */
export interface HistoryRecord {
  readonly revision: number
  /** Revision that was replaced. Its row serves only to replay this change. 0: none. */
  readonly prior: number
  readonly kid: number
  /** Resource and key of a deleted object; undefined for other changes. */
  readonly deleted: { readonly resource: string; readonly key: string } | undefined
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Size of the replaced state. */
  readonly bytes: number
}

/** Queue of removable rows, oldest first, so that compaction never searches the log. */
export class Retention {
  readonly #limits: RetentionLimits
  readonly #records = new Fifo<HistoryRecord>()
  #bytes = 0

  constructor(limits: RetentionLimits) {
    this.#limits = limits
  }

  get length(): number {
    return this.#records.length
  }

  push(record: HistoryRecord): void {
    this.#records.push(record)
    this.#bytes += record.bytes
  }

  /** Returns the oldest records beyond the limits. They stay until `drop`. */
  due(now: number, max: number): readonly HistoryRecord[] {
    const due: HistoryRecord[] = []
    let bytes = this.#bytes
    while (due.length < max) {
      const record = this.#records.at(due.length)
      if (record === undefined) break
      const isExpired = this.length - due.length > this.#limits.changes && record.at <= now - this.#limits.ageMs
      if (!isExpired && bytes <= this.#limits.bytes) break
      due.push(record)
      bytes -= record.bytes
    }
    return due
  }

  drop(records: readonly HistoryRecord[]): void {
    for (const record of records) this.#bytes -= record.bytes
    this.#records.drop(records.length)
  }

  /** Time at which the next record is due, in milliseconds since the epoch. */
  nextDue(): number | undefined {
    const oldest = this.#records.at(0)
    if (oldest === undefined) return undefined
    if (this.#bytes > this.#limits.bytes) return oldest.at
    return this.length <= this.#limits.changes ? undefined : oldest.at + this.#limits.ageMs
  }
}
