import { DatabaseSync } from 'node:sqlite'

import { sqliteCode, sqliteCodes } from './sqlite-error.ts'
import { StoreOpenError } from './store-open-error.ts'

/** Exclusive use of a store, until it is disposed or the process ends. */
export interface StoreLock extends Disposable {
  /** Whether a store was created at this path, according to the lock file. */
  readonly created: boolean
  /** Remembers that the store exists, so that an emptied file is not taken for a new one. */
  markCreated(): void
}

/**
 * Takes the store for this process. The lock is the write lock of a tiny database next to the
 * store: SQLite takes it with fcntl, so the kernel releases it however the process ends, and
 * children do not inherit it (a guest must not keep the store locked). Others can still read that
 * database and learn who has the store.
 * @throws StoreOpenError 'InUse' when another process, or this one, has it
 */
export function lockStore(path: string, pid: number, now: number): StoreLock {
  const database = new DatabaseSync(`${path}.lock`)
  try {
    // Nothing in it must outlive the machine's memory, and no journal file shall come and go.
    database.exec('PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY')
    take(database)
    const created = writeOwner(database, pid, now)
    return {
      created,
      markCreated: () => {
        database.prepare('INSERT OR REPLACE INTO owner VALUES (?, ?)').run('created', 1)
        database.exec('COMMIT')
        take(database)
      },
      [Symbol.dispose]: () => database.close(),
    }
  } catch (error) {
    const owner = sqliteCode(error) === sqliteCodes.busy ? describeOwner(database) : undefined
    database.close()
    if (owner === undefined) throw error
    throw new StoreOpenError('InUse', path, `${owner} has it open; end that process first, or use another data directory`, { cause: error })
  }
}

/** Returns whether the store was created before. Holds the lock again when it returns. */
function writeOwner(database: DatabaseSync, pid: number, now: number): boolean {
  try {
    database.exec('CREATE TABLE IF NOT EXISTS owner (k TEXT PRIMARY KEY, v) WITHOUT ROWID')
    const set = database.prepare('INSERT OR REPLACE INTO owner VALUES (?, ?)')
    set.run('pid', pid)
    set.run('since', new Date(now).toISOString())
    database.exec('COMMIT')
  } catch (error) {
    // The lock holds without its owner's name, which a full disk cannot store.
    if (!isSpaceError(error)) throw error
    if (database.isTransaction) database.exec('ROLLBACK')
  }
  take(database)
  try {
    return database.prepare("SELECT v FROM owner WHERE k = 'created'").get() !== undefined
  } catch {
    // There is no table yet, so the disk was full before a store could be created.
    return false
  }
}

function isSpaceError(error: unknown): boolean {
  const code = sqliteCode(error)
  return code === sqliteCodes.full || code === sqliteCodes.ioError
}

function take(database: DatabaseSync): void {
  database.exec('BEGIN IMMEDIATE')
}

function describeOwner(database: DatabaseSync): string {
  try {
    const rows = database.prepare('SELECT k, v FROM owner').all()
    const owner = new Map(rows.map((row) => [row['k'], String(row['v'])]))
    return `process ${owner.get('pid') ?? 'unknown'} (since ${owner.get('since') ?? 'unknown'})`
  } catch {
    // It is just being written: who it is does not matter as much as that there is somebody.
    return 'another process'
  }
}
