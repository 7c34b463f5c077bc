import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { checkSchema, configure } from './journal-schema.ts'
import { sqliteCode, sqliteCodes } from './sqlite-error.ts'

/** Durability of commits: `PRAGMA synchronous`. */
export type Synchronous = 'FULL' | 'NORMAL'

/** A configured connection to the database file. */
export interface JournalConnection {
  readonly database: DatabaseSync
  /**
   * Error that makes the connection read-only: SQLite could not create the shared index of its
   * write-ahead log, so the connection keeps the index in its own memory and locks the file.
   */
  readonly readOnlyCause: Error | undefined
}

/** SQLite's shared index takes 32 KiB; the rest is for the first commit. */
const neededBytes = 131_072
/** SQLite reports these when the shared index of the write-ahead log cannot be created. */
const indexFailures: readonly (number | undefined)[] = [sqliteCodes.full, sqliteCodes.ioError, sqliteCodes.cannotOpen]

/** The file system has no space for a commit. */
class DiskFull extends Error {
  override readonly name = 'DiskFull'
  readonly errcode = sqliteCodes.full
}

/**
 * Opens the file. On a full disk the connection is read-only, so that a server can start and serve
 * reads. Throws what SQLite throws, or StoreOpenError.
 */
export function connect(path: string, synchronous: Synchronous, busyTimeoutMs: number): JournalConnection {
  try {
    return { database: open(path, synchronous, busyTimeoutMs, ''), readOnlyCause: undefined }
  } catch (error) {
    if (!indexFailures.includes(sqliteCode(error))) throw error
    const readOnlyCause = spaceProblem(path) ?? (error as Error)
    return { database: open(path, synchronous, busyTimeoutMs, 'PRAGMA locking_mode = EXCLUSIVE'), readOnlyCause }
  }
}

/** Opens the file for writes. @throws DiskFull while there is no space, and what SQLite throws */
export function connectForWrites(path: string, synchronous: Synchronous, busyTimeoutMs: number): DatabaseSync {
  return open(path, synchronous, busyTimeoutMs, '')
}

/** Reports whether the disk has space for a commit, by writing as much and removing it. */
export function spaceProblem(path: string): Error | undefined {
  const trial = `${path}.space`
  try {
    const file = openSync(trial, 'w', 0o600)
    try {
      writeSync(file, Buffer.alloc(neededBytes, 1))
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    return undefined
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOSPC' || code === 'EDQUOT') return new DiskFull('no space left on device', { cause: error })
    return error instanceof Error ? error : new Error(String(error))
  } finally {
    rmSync(trial, { force: true })
  }
}

function open(path: string, synchronous: Synchronous, busyTimeoutMs: number, first: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs })
  try {
    database.exec(first)
    checkSchema(database, path)
    configure(database, synchronous)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}
