import type { Catalog } from '../journal/catalog.ts'
import type { ChangeRing } from './change-ring.ts'
import type { Journal } from '../journal/journal.ts'
import { type Change, type Entry, RevisionCompacted } from '../object-store.ts'
import { compareKeys } from '../memory/secondary-index.ts'
import { objectKey, type ResourceTable } from '../memory/resource-table.ts'

/**
 * Bounds of lists kept for paging. Clients read pages in sequence, so few lists are in use for a
 * few minutes.
 */
const snapshotLimits = { count: 8, ageMs: 5 * 60_000 } as const

/** Changes since a revision: recent ones from memory, older ones from the log. */
export class History {
  /**
   * Changes after this revision are in the log, except those that a table's `logFloor` excludes.
   */
  logOldest: number
  readonly #catalog: Catalog
  readonly #ring: ChangeRing
  readonly #journal: Journal
  readonly #onError: (error: unknown) => void
  /** Lists that are read page by page, least recently used first. */
  readonly #snapshots = new Map<string, { readonly entries: readonly Entry[]; readonly usedAt: number }>()

  constructor(logOldest: number, catalog: Catalog, ring: ChangeRing, journal: Journal, onError: (error: unknown) => void) {
    this.logOldest = logOldest
    this.#catalog = catalog
    this.#ring = ring
    this.#journal = journal
    this.#onError = onError
  }

  /**
   * Returns changes of a resource ('' for all) after a revision, oldest first. @throws
   * RevisionCompacted
   */
  after(revision: number, resource: string): Change[] {
    // Without later changes, compaction does not matter.
    const table = this.#catalog.find(resource)
    if (table !== undefined && table.changedAt <= revision) return []
    if (revision >= this.#ring.oldest) return this.#ring.after(revision, resource)
    const oldest = Math.min(this.#ring.oldest, Math.max(this.logOldest, this.#logFloor(resource, table)))
    if (revision < oldest) throw new RevisionCompacted(oldest)
    if (resource !== '' && table === undefined) return []
    return [...this.#fromLog(revision, table), ...this.#ring.after(this.#ring.oldest, resource)]
  }

  /** Returns the objects of a table at a revision. @throws RevisionCompacted */
  listAt(table: ResourceTable, namespace: string | undefined, revision: number, now: number): readonly Entry[] {
    if (table.changedAt <= revision) return table.list(namespace)
    const name = [table.resource, namespace ?? '*', revision].join(' ')
    const known = this.#snapshots.get(name)
    const entries = known?.entries ?? this.#undo(table, namespace, revision)
    this.#snapshots.delete(name)
    this.#snapshots.set(name, { entries, usedAt: now })
    for (const [oldest] of this.#snapshots) if (this.#snapshots.size > snapshotLimits.count) this.#snapshots.delete(oldest)
    return entries
  }

  /** Drops lists that were not read for a while. */
  trim(now: number): void {
    for (const [name, { usedAt }] of this.#snapshots) if (usedAt <= now - snapshotLimits.ageMs) this.#snapshots.delete(name)
  }

  /** Starts from the present and reverts one change after the other. */
  #undo(table: ResourceTable, namespace: string | undefined, revision: number): Entry[] {
    const before = new Map<string, Entry | undefined>()
    for (const change of this.after(revision, table.resource).toReversed()) before.set(keyOf(change), change.previous)
    const states: [string, Entry][] = []
    for (const key of table.keys(namespace)) {
      const entry = before.has(key) ? before.get(key) : table.slot(key)?.entry
      if (entry !== undefined) states.push([key, entry])
    }
    const prefix = namespace === undefined ? '' : objectKey(namespace, '')
    for (const [key, entry] of before) {
      if (entry !== undefined && table.slot(key) === undefined && key.startsWith(prefix)) states.push([key, entry])
    }
    return states.toSorted(([a], [b]) => compareKeys(a, b)).map(([, entry]) => entry)
  }

  #logFloor(resource: string, table: ResourceTable | undefined): number {
    if (resource !== '') return table?.logFloor ?? 0
    let floor = 0
    for (const each of this.#catalog.all()) floor = Math.max(floor, each.logFloor)
    return floor
  }

  /**
   * Reports an unreadable log as compacted: a watch then lists again from memory instead of
   * failing.
   */
  #fromLog(revision: number, table: ResourceTable | undefined): Change[] {
    try {
      return this.#journal.changes(revision, this.#ring.oldest, table, (rid) => this.#catalog.nameOf(rid))
    } catch (error) {
      this.#onError(error)
      throw new RevisionCompacted(this.#ring.oldest)
    }
  }
}

function keyOf(change: Change): string {
  const { namespace, name } = change.entry.object.metadata ?? {}
  return objectKey(namespace ?? '', name ?? '')
}
