import type { Journal, ResourceRow } from './journal.ts'
import { objectKey, ResourceTable, type Slot } from '../memory/resource-table.ts'

/** All resource tables. */
export class Catalog {
  readonly #tables = new Map<string, ResourceTable>()
  readonly #names = new Map<number, string>()
  readonly #onError: (error: unknown) => void
  /** Initial `changedAt` of a new table: changes up to this revision may be compacted. */
  readonly #floor: number
  #lastRid = 0
  #lastKid = 0

  constructor(floor: number, onError: (error: unknown) => void) {
    this.#floor = floor
    this.#onError = onError
  }

  find(resource: string): ResourceTable | undefined {
    return this.#tables.get(resource)
  }

  /** Returns the table of a resource, which is created when missing. */
  table(resource: string): ResourceTable {
    return this.#tables.get(resource) ?? this.#add({ rid: this.#lastRid + 1, resource }, false)
  }

  all(): Iterable<ResourceTable> {
    return this.#tables.values()
  }

  /** Name of the resource with this number in `res`. */
  nameOf(rid: number): string {
    return this.#names.get(rid) ?? ''
  }

  /** Number for a new row of `obj`. */
  nextKid(): number {
    this.#lastKid += 1
    return this.#lastKid
  }

  /** Fills the tables from disk. Calls back for each live object in write order. */
  load(journal: Journal, onObject: (table: ResourceTable, slot: Slot, writtenAt: number) => void): void {
    for (const row of journal.resources()) this.#add(row, true)
    const slots = new Map<ResourceTable, Slot[]>()
    for (const { kid, rid, namespace, name, revision, entry, prior, writtenAt } of journal.objects()) {
      this.#lastKid = Math.max(this.#lastKid, kid)
      const table = this.table(this.nameOf(rid))
      const key = objectKey(namespace, name)
      if (entry === undefined) {
        table.tombstones.set(key, { kid, revision })
        table.changedAt = Math.max(table.changedAt, revision)
        continue
      }
      const slot: Slot = { key, kid, entry, prior }
      const known = slots.get(table)
      if (known === undefined) slots.set(table, [slot])
      else known.push(slot)
      onObject(table, slot, writtenAt)
    }
    for (const [table, loaded] of slots) table.load(loaded)
  }

  #add(row: ResourceRow, persisted: boolean): ResourceTable {
    const table = new ResourceTable(row.resource, row.rid, persisted, this.#onError)
    table.changedAt = this.#floor
    this.#lastRid = Math.max(this.#lastRid, row.rid)
    this.#tables.set(row.resource, table)
    this.#names.set(row.rid, row.resource)
    return table
  }
}
