import { statSync } from 'node:fs'
import type { DatabaseSync, StatementSync } from 'node:sqlite'

import { connect, connectForWrites, spaceProblem, type Synchronous } from './journal-connection.ts'
import { operations, pragma } from './journal-schema.ts'
import type { Change } from '../object-store.ts'
import type { PendingWrite } from '../memory/pending-write.ts'
import type { HistoryRecord } from './retention.ts'
import { StoredEntry } from '../memory/stored-entry.ts'
import { corrupt } from './store-open-error.ts'

/** A row of `res`. */
export interface ResourceRow {
  readonly rid: number
  readonly resource: string
}

/** A live object, or a recently deleted one. */
export interface ObjectRow {
  readonly kid: number
  readonly rid: number
  readonly namespace: string
  readonly name: string
  /** Of the live state, or of the deletion. */
  readonly revision: number
  /** Undefined when deleted. */
  readonly entry: StoredEntry | undefined
  /** Revision before this one, or 0. */
  readonly prior: number
  /** Milliseconds since the epoch. */
  readonly writtenAt: number
}

/** A change in the log. */
export interface HistoryRow extends Omit<HistoryRecord, 'deleted'> {
  readonly deleted: boolean
  readonly rid: number
  readonly namespace: string
  readonly name: string
  /** True if the previous state is gone, so that the change cannot be replayed. */
  readonly incomplete: boolean
}

/** Persistent settings. */
export interface JournalMarks {
  /** Compaction has removed rows up to this revision that are not live. */
  readonly compactRevision: number
  /** History starts here at the earliest, whatever rows exist. */
  readonly historyFloor: number
  /** True if the last process closed the store. */
  readonly clean: boolean
  /** Boot ID of that process's machine, if known. */
  readonly boot: string | undefined
}

/** Content of one transaction. */
export interface Batch {
  readonly writes: readonly PendingWrite[]
  readonly removals: readonly HistoryRecord[]
  /** Milliseconds since the epoch. */
  readonly at: number
}

/**
 * The file is shrunk only when a quarter is free, as free pages are reused; in steps, as each
 * blocks the event loop.
 */
const shrinkPolicy = { minFreePages: 1024, stepPages: 128 } as const

type Row = (string | number | Uint8Array | null)[]

const opNames = ['ADDED', 'ADDED', 'MODIFIED', 'DELETED'] as const

/**
 * Reads and writes the database file. The only code that contains SQL; synchronous and without a
 * cache.
 */
export class Journal implements Disposable {
  readonly path: string
  readonly #synchronous: Synchronous
  readonly #busyTimeoutMs: number
  #database: DatabaseSync
  #statements: Readonly<Record<keyof typeof sql, StatementSync>>
  #readOnlyCause: Error | undefined

  /** Opens the file. Throws what SQLite throws, or StoreOpenError. */
  constructor(path: string, synchronous: Synchronous, busyTimeoutMs: number) {
    this.path = path
    this.#synchronous = synchronous
    this.#busyTimeoutMs = busyTimeoutMs
    const { database, readOnlyCause } = connect(path, synchronous, busyTimeoutMs)
    this.#readOnlyCause = readOnlyCause
    this.#database = database
    this.#statements = prepareOrClose(database)
  }

  /** Error that prevents writes, such as a full disk at start. Each write tries again. */
  get readOnlyCause(): Error | undefined {
    return this.#readOnlyCause
  }

  marks(): JournalMarks {
    const marks = new Map(this.#rows('marks').map(([key, value]) => [key, value]))
    const boot = marks.get('boot')
    return {
      compactRevision: Number(marks.get('compact_rev') ?? 0),
      historyFloor: Number(marks.get('history_floor') ?? 0),
      clean: marks.get('clean') !== 0,
      boot: typeof boot === 'string' ? boot : undefined,
    }
  }

  /** Newest revision in the log, or 0. */
  lastRevision(): number {
    return Number(this.#rows('lastRevision')[0]?.[0] ?? 0)
  }

  resources(): ResourceRow[] {
    return this.#rows('resources').map(([rid, group, plural]) => ({ rid: Number(rid), resource: `${String(group)}/${String(plural)}` }))
  }

  /** Returns objects in write order. @throws StoreOpenError when rows are missing */
  objects(): ObjectRow[] {
    const objects: ObjectRow[] = []
    for (const row of this.#statements.objects.iterate()) {
      const [kid, rid, namespace, name, revision, op, prior, at, value] = row as unknown as Row
      const place = { kid: Number(kid), rid: Number(rid), namespace: String(namespace), name: String(name), revision: Number(revision) }
      if (op === operations.DELETED) {
        objects.push({ ...place, entry: undefined, prior: Number(prior), writtenAt: Number(at) })
        continue
      }
      if (!(value instanceof Uint8Array) || value[0] !== 0x7b || value.at(-1) !== 0x7d) {
        throw corrupt(this.path, `object "${String(namespace)}/${String(name)}" has no state at revision ${String(revision)}`)
      }
      const entry = StoredEntry.fromJson(value, Number(revision))
      objects.push({ ...place, entry, prior: Number(prior), writtenAt: Number(at) })
    }
    return objects
  }

  /** Returns the changes in the log, oldest first. */
  history(after: number): HistoryRow[] {
    return this.#rows('history', after).map(([revision, kid, prior, op, at, bytes, rid, namespace, name]) => {
      const place = { rid: Number(rid), namespace: String(namespace), name: String(name) }
      const incomplete = prior !== 0 && bytes === null
      const deleted = op === operations.DELETED
      return {
        revision: Number(revision),
        kid: Number(kid),
        prior: Number(prior),
        at: Number(at),
        bytes: Number(bytes),
        deleted,
        incomplete,
        ...place,
      }
    })
  }

  /**
   * Changes with `after` < revision <= `until` as watchers see them, oldest first, of one resource
   * or of all.
   */
  changes(after: number, until: number, resource: ResourceRow | undefined, nameOf: (rid: number) => string): Change[] {
    return this.#rows('changes', after, until, resource?.rid ?? null, resource?.rid ?? null).map((row) => {
      const [revision, op, prior, rid, value, priorValue] = row
      const previous = priorValue instanceof Uint8Array ? StoredEntry.fromJson(priorValue, Number(prior)) : undefined
      const entry =
        value instanceof Uint8Array
          ? StoredEntry.fromJson(value, Number(revision))
          : StoredEntry.restamped(previous ?? missing(this.path, Number(revision)), Number(revision))
      const type = opNames[Number(op)] ?? 'MODIFIED'
      return { type, resource: nameOf(Number(rid)), revision: Number(revision), entry, previous: type === 'ADDED' ? undefined : previous }
    })
  }

  /** Makes a batch durable: all of it or, when this throws, nothing. */
  commit(batch: Batch): void {
    this.#leaveReadOnly()
    this.#transaction(() => {
      const tables = new Set(batch.writes.map(({ table }) => table))
      for (const table of tables) if (!table.persisted) this.#addResource(table.rid, table.resource)
      for (const write of batch.writes) this.#write(write, batch.at)
      for (const record of batch.removals) this.#remove(record)
      const last = batch.removals.at(-1)
      if (last !== undefined) this.#statements.mark.run('compact_rev', last.revision)
    })
  }

  /** Stores settings, durably even where commits are not. */
  mark(marks: Readonly<Record<string, string | number | null>>): void {
    this.#leaveReadOnly()
    if (this.#synchronous !== 'FULL') this.#database.exec('PRAGMA synchronous = FULL')
    try {
      this.#transaction(() => {
        for (const [key, value] of Object.entries(marks)) this.#statements.mark.run(key, value)
      })
    } finally {
      if (this.#synchronous !== 'FULL') this.#database.exec(`PRAGMA synchronous = ${this.#synchronous}`)
    }
  }

  /** Copies the write-ahead log into the database as far as possible without waiting. */
  checkpoint(mode: 'PASSIVE' | 'TRUNCATE'): void {
    this.#database.prepare(`PRAGMA wal_checkpoint(${mode})`).get()
  }

  /** Returns free pages to the file system when many are free. Returns whether more remain. */
  shrink(): boolean {
    if (this.#readOnlyCause !== undefined) return false
    const free = pragma(this.#database, 'freelist_count')
    if (free < shrinkPolicy.minFreePages || free * 4 < pragma(this.#database, 'page_count')) return false
    this.#database.exec(`PRAGMA incremental_vacuum(${shrinkPolicy.stepPages})`)
    return true
  }

  sizes(): { readonly databaseBytes: number; readonly walBytes: number } {
    return { databaseBytes: fileBytes(this.path), walBytes: fileBytes(`${this.path}-wal`) }
  }

  [Symbol.dispose](): void {
    this.#database.close()
  }

  /** Reconnects for writes once there is space. Reads continue on the old connection until then. */
  #leaveReadOnly(): void {
    if (this.#readOnlyCause === undefined) return
    const problem = spaceProblem(this.path)
    if (problem !== undefined) throw problem
    // Its lock excludes every other connection.
    this.#database.close()
    try {
      this.#database = connectForWrites(this.path, this.#synchronous, this.#busyTimeoutMs)
      this.#readOnlyCause = undefined
    } catch (error) {
      const { database, readOnlyCause } = connect(this.path, this.#synchronous, this.#busyTimeoutMs)
      this.#database = database
      this.#readOnlyCause = readOnlyCause
      if (readOnlyCause !== undefined) throw error
    } finally {
      this.#statements = prepareOrClose(this.#database)
    }
  }

  #rows(name: keyof typeof sql, ...parameters: (string | number | null)[]): Row[] {
    return this.#statements[name].all(...parameters) as unknown as Row[]
  }

  #write(write: PendingWrite, at: number): void {
    const { table, kid, revision, prior, type } = write
    const uid = type === 'ADDED' ? (write.entry.object.metadata?.uid ?? null) : null
    if (type === 'ADDED') this.#statements.create.run(kid, table.rid, write.namespace, write.name, uid, revision, revision)
    else this.#statements.point.run(revision, kid)
    this.#statements.append.run(revision, kid, prior, operations[type], at, type === 'DELETED' ? null : write.entry.json)
    if (write.beforePrior !== 0) this.#statements.forget.run(write.beforePrior)
  }

  #addResource(rid: number, resource: string): void {
    const slash = resource.lastIndexOf('/')
    this.#statements.addResource.run(rid, resource.slice(0, slash), resource.slice(slash + 1))
  }

  #remove(record: HistoryRecord): void {
    if (record.prior !== 0) this.#statements.forget.run(record.prior)
    if (record.deleted === undefined) return
    this.#statements.forget.run(record.revision)
    // Only while the row points to this deletion: the name may have been created again.
    this.#statements.bury.run(record.kid, record.revision)
  }

  #transaction(work: () => void): void {
    this.#database.exec('BEGIN IMMEDIATE')
    try {
      work()
      this.#database.exec('COMMIT')
    } catch (error) {
      // SQLite rolls back by itself after some errors.
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK')
      throw error
    }
  }
}

const sql = {
  marks: 'SELECT k, v FROM meta',
  mark: 'INSERT OR REPLACE INTO meta (k, v) VALUES (?, ?)',
  lastRevision: 'SELECT max(rev) FROM log',
  resources: 'SELECT rid, grp, plural FROM res',
  addResource: 'INSERT INTO res (rid, grp, plural) VALUES (?, ?, ?)',
  // In order of revision, so that the log is read sequentially.
  objects: `SELECT o.kid, o.rid, o.ns, o.name, o.rev, l.op, l.prev, l.ts, l.val
    FROM (SELECT * FROM obj ORDER BY rev) o LEFT JOIN log l ON l.rev = o.rev ORDER BY o.rev`,
  history: `SELECT l.rev, l.kid, l.prev, l.op, l.ts, length(p.val), o.rid, o.ns, o.name
    FROM log l JOIN obj o ON o.kid = l.kid LEFT JOIN log p ON p.rev = l.prev WHERE l.rev > ? ORDER BY l.rev`,
  changes: `SELECT l.rev, l.op, l.prev, o.rid, l.val, p.val
    FROM log l JOIN obj o ON o.kid = l.kid LEFT JOIN log p ON p.rev = l.prev
    WHERE l.rev > ? AND l.rev <= ? AND (? IS NULL OR o.rid = ?) ORDER BY l.rev`,
  create: `INSERT INTO obj (kid, rid, ns, name, uid, crev, rev) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (kid) DO UPDATE SET uid = excluded.uid, crev = excluded.crev, rev = excluded.rev`,
  point: 'UPDATE obj SET rev = ? WHERE kid = ?',
  append: 'INSERT INTO log (rev, kid, prev, op, ts, val) VALUES (?, ?, ?, ?, ?, ?)',
  forget: 'DELETE FROM log WHERE rev = ?',
  bury: 'DELETE FROM obj WHERE kid = ? AND rev = ?',
} as const

function prepareOrClose(database: DatabaseSync): Readonly<Record<keyof typeof sql, StatementSync>> {
  try {
    return prepareAll(database)
  } catch (error) {
    if (database.isOpen) database.close()
    throw error
  }
}

function prepareAll(database: DatabaseSync): Readonly<Record<keyof typeof sql, StatementSync>> {
  const statements = Object.entries(sql).map(([name, text]) => {
    const statement = database.prepare(text)
    statement.setReturnArrays(true)
    return [name, statement]
  })
  return Object.fromEntries(statements) as Record<keyof typeof sql, StatementSync>
}

function missing(path: string, revision: number): never {
  throw corrupt(path, `revision ${revision} lacks the state before it`)
}

function fileBytes(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
