import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { Catalog } from './journal/catalog.ts'
import { ChangeRing } from './history/change-ring.ts'
import { Checkpointer } from './journal/checkpointer.ts'
import { CommitTimes } from './history/commit-times.ts'
import { Expiry } from './memory/expiry.ts'
import { Fifo } from './memory/fifo.ts'
import { History } from './history/history.ts'
import { pageBytes } from './journal/journal-schema.ts'
import type { Journal } from './journal/journal.ts'
import {
  type Change,
  type Entry,
  type Interest,
  type ObjectStore,
  RevisionMismatch,
  StorageFailed,
  type StoreStats,
  type Write,
} from './object-store.ts'
import type { PendingWrite } from './memory/pending-write.ts'
import { objectKey, type ResourceTable, type Slot } from './memory/resource-table.ts'
import { type HistoryRecord, Retention } from './journal/retention.ts'
import { explainSqlite, sqliteCode, sqliteCodes } from './journal/sqlite-error.ts'
import { defaultOptions, type ObjectStoreOptions } from './store-options.ts'
import { StoredEntry } from './memory/stored-entry.ts'
import { Subscribers } from './subscribers.ts'

/** Limits of one transaction. Concurrent writes below them share one fsync. */
const batchLimits = { rows: 256, bytes: 1 << 20 } as const

/**
 * Free bytes that end the failure of a full disk. Small writes can succeed before, in pages of the
 * log that are used again: they say nothing about the next write.
 */
const spareBytes = 2 * batchLimits.bytes

/** Interval of probes after a failure; every write also tries. */
const probeMs = 5_000

/** Shortest interval between maintenance runs. */
const maintenanceMs = 1_000

/** State found on disk. */
export interface OpenedJournal {
  readonly journal: Journal
  /** Newest revision to start from. */
  readonly revision: number
  /** Changes after this revision are in the log. */
  readonly oldest: number
  /** Log rows of changes after this revision are still to be compacted. */
  readonly compactRevision: number
  /** Settings to store before the first write. */
  readonly firstMarks: Readonly<Record<string, string | number | null>>
  /** Called when the file is closed. */
  release(): void
}

/**
 * Object store on SQLite. A write is decided at once against memory and pending writes, then
 * committed together with others, and published after the commit in order of revisions. Readers
 * never see a state that can be lost.
 */
export class SqliteStore implements ObjectStore {
  readonly #options: ObjectStoreOptions
  readonly #after: (ms: number, callback: () => void) => Disposable
  readonly #onError: (error: unknown) => void
  readonly #opened: OpenedJournal
  readonly #journal: Journal
  readonly #catalog: Catalog
  readonly #ring: ChangeRing
  readonly #history: History
  readonly #retention: Retention
  readonly #expiry: Expiry
  readonly #shortHistory: ReadonlySet<string>
  readonly #subscribers: Subscribers
  readonly #checkpointer: Checkpointer
  readonly #commitTimes = new CommitTimes()
  readonly #queue = new Fifo<PendingWrite>()
  #revision: number
  #lastAssigned: number
  #failure: StorageFailed | undefined
  #flushScheduled = false
  #maintenance: { readonly at: number; readonly timer: Disposable } | undefined
  #shrinkAt: number | undefined
  #probe: Disposable | undefined
  /** True if the file is marked as in use, so that the next start can detect a crash. */
  #markedOpen = false
  #closed = false
  #commits = 0
  #writes = 0

  constructor(options: ObjectStoreOptions, opened: OpenedJournal) {
    this.#options = options
    this.#after = options.after ?? startTimer
    this.#onError = options.onError ?? raise
    this.#opened = opened
    this.#journal = opened.journal
    this.#revision = opened.revision
    this.#lastAssigned = opened.revision
    this.#shortHistory = new Set(options.shortHistory ?? defaultOptions.shortHistory)
    this.#subscribers = new Subscribers(this.#onError)
    this.#retention = new Retention(options.retention ?? defaultOptions.retention)
    this.#expiry = new Expiry(new Map(Object.entries(options.ttlMs ?? defaultOptions.ttlMs)))
    this.#catalog = new Catalog(opened.oldest, this.#onError)
    this.#ring = new ChangeRing(options.ring ?? defaultOptions.ring, opened.revision)
    this.#history = new History(opened.oldest, this.#catalog, this.#ring, this.#journal, this.#onError)
    this.#checkpointer = new Checkpointer(this.#journal, this.#after, this.#onError, () => this.#scheduleFlush())
    this.#load()
    if (this.#journal.readOnlyCause !== undefined) this.#fail(this.#journal.readOnlyCause, [])
  }

  get revision(): number {
    return this.#revision
  }

  get failure(): Error | undefined {
    return this.#failure
  }

  get(resource: string, namespace: string, name: string): Entry | undefined {
    return this.#catalog.find(resource)?.slot(objectKey(namespace, name))?.entry
  }

  getPending(resource: string, namespace: string, name: string): Entry | undefined {
    const table = this.#catalog.find(resource)
    const pending = table?.pending.get(objectKey(namespace, name))
    if (pending === undefined) return this.get(resource, namespace, name)
    return pending.type === 'DELETED' ? undefined : pending.entry
  }

  list(resource: string, namespace?: string): readonly Entry[] {
    return this.#catalog.find(resource)?.list(namespace) ?? []
  }

  listAt(resource: string, namespace: string | undefined, revision: number): readonly Entry[] {
    return this.#history.listAt(this.#catalog.table(resource), namespace, revision, this.#options.now())
  }

  byIndex(resource: string, index: string, value: string): readonly Entry[] {
    return this.#catalog.table(resource).byIndex(index, value)
  }

  addIndex(resource: string, index: string, values: (object: KubeObject) => readonly string[]): void {
    this.#catalog.table(resource).addIndex(index, values)
  }

  write(write: Write): Promise<Entry> {
    if (this.#closed) return Promise.reject(new StorageFailed(`the store "${this.#options.path}" is closed`))
    const table = this.#catalog.table(write.resource)
    const key = objectKey(write.namespace, write.name)
    const current = currentState(table, key)
    const actual = current?.revision ?? 0
    if (actual !== write.expected || (write.object === undefined && actual === 0)) return Promise.reject(new RevisionMismatch(actual))
    try {
      return this.#enqueue(write, table, key, current)
    } catch (error) {
      // The object is not JSON. Only its own writer fails.
      return Promise.reject(error as Error)
    }
  }

  subscribe(resource: string, after: number | undefined, listener: (change: Change) => void, interest?: Interest): Disposable {
    if (after !== undefined && after < this.#revision) {
      for (const change of this.#history.after(after, resource)) this.#subscribers.deliver(listener, change)
    }
    return this.#subscribers.add(resource, Math.max(after ?? 0, this.#revision), listener, interest)
  }

  stats(): StoreStats {
    const objects = new Map<string, number>()
    for (const table of this.#catalog.all()) if (table.size > 0) objects.set(table.resource, table.size)
    return {
      objects,
      commits: this.#commits,
      writes: this.#writes,
      ...this.#journal.sizes(),
      commitMsP50: this.#commitTimes.percentile(0.5),
      commitMsP99: this.#commitTimes.percentile(0.99),
      oldestRevision: Math.min(this.#history.logOldest, this.#ring.oldest),
    }
  }

  /** Commits pending writes and closes the file. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    while (this.#queue.length > 0) this.#flush()
    this.#maintenance?.timer[Symbol.dispose]()
    this.#probe?.[Symbol.dispose]()
    await this.#checkpointer.close()
    try {
      if (this.#markedOpen) this.#journal.mark({ clean: 1 })
      this.#journal.checkpoint('TRUNCATE')
    } catch (error) {
      // Nothing is lost: the next start reads the log, as after a crash.
      this.#onError(error)
    }
    this.#journal[Symbol.dispose]()
    this.#opened.release()
  }

  #load(): void {
    this.#catalog.load(this.#journal, (table, slot, writtenAt) => {
      this.#expiry.note(table.resource, slot.key, slot.entry.revision, writtenAt)
    })
    for (const row of this.#journal.history(this.#opened.compactRevision)) {
      const table = this.#catalog.table(this.#catalog.nameOf(row.rid))
      if (row.incomplete) table.logFloor = Math.max(table.logFloor, row.revision)
      const deleted = row.deleted ? { resource: table.resource, key: objectKey(row.namespace, row.name) } : undefined
      this.#retention.push({ revision: row.revision, prior: row.prior, kid: row.kid, deleted, at: row.at, bytes: row.bytes })
      table.changedAt = Math.max(table.changedAt, row.revision)
    }
    this.#armMaintenance()
  }

  #enqueue(write: Write, table: ResourceTable, key: string, current: CurrentState | undefined): Promise<Entry> {
    const revision = this.#lastAssigned + 1
    const entry = nextEntry(write, current, revision)
    const { promise, resolve, reject } = Promise.withResolvers<Entry>()
    const pending: PendingWrite = {
      type: current === undefined ? 'ADDED' : write.object === undefined ? 'DELETED' : 'MODIFIED',
      table,
      key,
      namespace: write.namespace,
      name: write.name,
      revision,
      prior: current?.revision ?? 0,
      beforePrior: this.#shortHistory.has(table.resource) ? (current?.prior ?? 0) : 0,
      priorBytes: current?.entry.json.length ?? 0,
      kid: current?.kid ?? table.pending.get(key)?.kid ?? table.tombstones.get(key)?.kid ?? this.#catalog.nextKid(),
      entry,
      resolve,
      reject,
    }
    // Nothing below may throw.
    this.#lastAssigned = revision
    table.pending.set(key, pending)
    this.#queue.push(pending)
    this.#scheduleFlush()
    write.onAccepted?.(entry)
    return promise
  }

  #scheduleFlush(): void {
    if (this.#flushScheduled || this.#queue.length === 0 || this.#checkpointer.holds) return
    this.#flushScheduled = true
    setImmediate(() => {
      this.#flushScheduled = false
      if (this.#queue.length > 0) this.#flush()
    })
  }

  #flush(): void {
    const batch = this.#takeBatch()
    const at = this.#options.now()
    const removals = this.#retention.due(at, 2 * batch.length + 16)
    const writes = batch.map(({ write }) => write)
    if (!this.#commit(writes, removals, at)) return
    const bytes = batch.reduce((sum, item) => sum + item.bytes, 0)
    for (const write of writes) this.#publish(write, at)
    this.#history.trim(at)
    this.#checkpointer.note(bytes + 3 * pageBytes)
    this.#armMaintenance()
    this.#scheduleFlush()
  }

  #takeBatch(): { readonly write: PendingWrite; readonly bytes: number }[] {
    const batch = []
    let bytes = 0
    for (let write = this.#queue.at(0); write !== undefined; write = this.#queue.at(batch.length)) {
      if (batch.length === batchLimits.rows || bytes >= batchLimits.bytes) break
      const size = write.type === 'DELETED' ? 0 : write.entry.json.length
      batch.push({ write, bytes: size })
      bytes += size
    }
    this.#queue.drop(batch.length)
    return batch
  }

  /**
   * Returns whether the commit succeeded. Updates all memory that must agree with the disk before a
   * listener runs.
   */
  #commit(writes: readonly PendingWrite[], removals: readonly HistoryRecord[], at: number): boolean {
    const start = performance.now()
    try {
      this.#markOpen()
      this.#journal.commit({ writes, removals, at })
    } catch (error) {
      this.#fail(error, writes)
      return false
    }
    this.#commitTimes.add(performance.now() - start)
    this.#commits += 1
    this.#writes += writes.length
    this.#recover()
    this.#forget(removals)
    for (const { table, beforePrior, prior } of writes) {
      table.persisted = true
      if (beforePrior !== 0) table.logFloor = Math.max(table.logFloor, prior)
    }
    return true
  }

  #markOpen(): void {
    if (this.#markedOpen) return
    this.#journal.mark(this.#opened.firstMarks)
    this.#markedOpen = true
  }

  #forget(removals: readonly HistoryRecord[]): void {
    this.#retention.drop(removals)
    for (const { revision, deleted } of removals) {
      this.#history.logOldest = Math.max(this.#history.logOldest, revision)
      if (deleted === undefined) continue
      const graves = this.#catalog.find(deleted.resource)?.tombstones
      if (graves?.get(deleted.key)?.revision === revision) graves.delete(deleted.key)
    }
  }

  #publish(write: PendingWrite, at: number): void {
    const change = write.table.apply(write)
    this.#revision = write.revision
    this.#ring.push(change, at)
    const { revision, prior, kid, key, table, priorBytes } = write
    const deleted = write.type === 'DELETED' ? { resource: table.resource, key } : undefined
    this.#retention.push({ revision, prior, kid, deleted, at, bytes: priorBytes })
    if (deleted === undefined) this.#expiry.note(table.resource, key, revision, at)
    this.#subscribers.publish(change)
    write.resolve(write.entry)
  }

  /**
   * Rejects the batch and all later pending writes, which were decided against states that were
   * never committed.
   */
  #fail(error: unknown, writes: readonly PendingWrite[]): void {
    const { happened, remedy } = explainSqlite(error)
    const message = `writing to "${this.#options.path}" failed because ${happened}; ${remedy}: writes resume by themselves`
    const failure = new StorageFailed(message, { cause: error })
    const rejected = [...writes, ...this.#queue.from(0)]
    this.#queue.drop(this.#queue.length)
    for (const { table, key } of rejected) table.pending.delete(key)
    const first = this.#failure === undefined
    this.#failure = failure
    if (sqliteCode(error) === sqliteCodes.full) this.#makeRoom()
    this.#armProbe()
    if (first) this.#options.onFailure?.(failure)
    for (const write of rejected) write.reject(failure)
  }

  /** Checkpoints, so that the log restarts from its beginning and need not grow. */
  #makeRoom(): void {
    try {
      this.#journal.checkpoint('PASSIVE')
    } catch {
      // The disk is too full for a checkpoint. The original failure is already reported.
    }
  }

  #armProbe(): void {
    if (!this.#closed) this.#probe ??= this.#after(probeMs, () => this.#retry())
  }

  #retry(): void {
    this.#probe = undefined
    if (this.#failure === undefined || this.#closed) return
    try {
      this.#journal.mark({ probe: this.#options.now() })
      this.#recover()
    } catch (error) {
      this.#fail(error, [])
    }
  }

  #recover(): void {
    if (this.#failure === undefined) return
    if (sqliteCode(this.#failure.cause) === sqliteCodes.full && freeBytes(this.#options.path) < spareBytes) return this.#armProbe()
    this.#failure = undefined
    this.#probe?.[Symbol.dispose]()
    this.#probe = undefined
    this.#options.onFailure?.(undefined)
  }

  #armMaintenance(): void {
    const due = Math.min(this.#retention.nextDue() ?? Infinity, this.#expiry.nextDue() ?? Infinity, this.#shrinkAt ?? Infinity)
    if (due === Infinity || this.#closed) return
    const now = this.#options.now()
    const at = Math.max(due, now + maintenanceMs)
    if (this.#maintenance !== undefined && this.#maintenance.at <= at) return
    this.#maintenance?.timer[Symbol.dispose]()
    this.#maintenance = { at, timer: this.#after(at - now, () => this.#maintain()) }
  }

  /**
   * Deletes expired objects like a client would, and compacts in small steps while there are no
   * commits.
   */
  #maintain(): void {
    this.#maintenance = undefined
    const now = this.#options.now()
    this.#ring.trim(now)
    this.#history.trim(now)
    for (const { resource, key, revision } of this.#expiry.take(now, 500)) this.#expire(this.#catalog.table(resource), key, revision)
    const removals = this.#retention.due(now, 500)
    if (removals.length > 0 && this.#queue.length === 0) {
      this.#commit([], removals, now)
      this.#checkpointer.note(removals.length * pageBytes)
    }
    this.#shrinkAt = removals.length < 500 && this.#shrink() ? now + maintenanceMs : undefined
    this.#armMaintenance()
  }

  #shrink(): boolean {
    try {
      return this.#journal.shrink()
    } catch (error) {
      // Only space is lost; the next compaction tries again.
      this.#onError(error)
      return false
    }
  }

  #expire(table: ResourceTable, key: string, revision: number): void {
    const slot = table.slot(key)
    if (slot?.entry.revision !== revision) return
    const [namespace = '', name = ''] = key.split('\0')
    this.write({ resource: table.resource, namespace, name, expected: revision, object: undefined }).catch((error: unknown) => {
      // A concurrent write restarts the lifetime; after a disk failure the deletion is repeated.
      if (error instanceof StorageFailed) this.#expiry.note(table.resource, key, revision, this.#options.now())
    })
  }
}

interface CurrentState {
  readonly revision: number
  readonly prior: number
  readonly kid: number
  readonly entry: Entry
}

/**
 * Returns the state that the next write applies to: the newest pending one, or the committed one.
 */
function currentState(table: ResourceTable, key: string): CurrentState | undefined {
  const pending = table.pending.get(key)
  if (pending !== undefined) return pending.type === 'DELETED' ? undefined : pending
  const slot: Slot | undefined = table.slot(key)
  return slot === undefined ? undefined : { revision: slot.entry.revision, prior: slot.prior, kid: slot.kid, entry: slot.entry }
}

function nextEntry(write: Write, current: CurrentState | undefined, revision: number): StoredEntry {
  if (write.object !== undefined) {
    const entry = StoredEntry.fromObject(write.object, revision)
    // Encoded now, so that an encoding error cannot fail a batch of other writes.
    void entry.json
    return entry
  }
  return StoredEntry.restamped((current as CurrentState).entry, revision)
}

function startTimer(ms: number, callback: () => void): Disposable {
  const timer = setTimeout(callback, ms)
  timer.unref()
  return { [Symbol.dispose]: () => clearTimeout(timer) }
}

/** Throws outside of the commit: a bug must be visible and must not interrupt it. */
function raise(error: unknown): void {
  queueMicrotask(() => {
    throw error
  })
}

/**
 * Bytes that a process without privileges can still write beside the file. Infinity when the file
 * system does not say: the write that has just succeeded counts then.
 */
function freeBytes(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(dirname(path))
    return bavail * bsize
  } catch {
    return Infinity
  }
}
