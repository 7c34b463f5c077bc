import { DatabaseSync } from 'node:sqlite'

import { sqliteCode, sqliteCodes } from './sqlite-error.ts'
import { StoreOpenError } from './store-open-error.ts'

/** Exclusive use of a store, until it is disposed or the process ends. */
export interface StoreLock extends Disposable {
  /** True if the lock file records that a store was created at this path. */
  readonly created: boolean
  /** Records that the store exists, so that a truncated file is reported as damage. */
  markCreated(): void
}

/**
 * Locks the store for this process with the write lock of a small database next to it. SQLite uses
 * fcntl locks: the kernel releases them however the process ends, and children such as QEMU do not
 * inherit them. Other processes can read the owner.
 * @throws StoreOpenError 'InUse' when another process, or this one, has it
 */
export function lockStore(path: string, pid: number, now: number): StoreLock {
  const database = new DatabaseSync(`${path}.lock`)
  try {
    // The content need not survive a reboot, and no journal file should appear.
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
    // On a full disk the lock is held without the name of its owner.
    if (!isSpaceError(error)) throw error
    if (database.isTransaction) database.exec('ROLLBACK')
  }
  take(database)
  try {
    return database.prepare("SELECT v FROM owner WHERE k = 'created'").get() !== undefined
  } catch {
    // Without a table, the disk was full before a store could be created.
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
    // The owner is writing its name just now.
    return 'another process'
  }
}
