import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

import { StoreOpenError } from './store-open-error.ts'

/** Schema version of this program. */
export const schemaVersion = 1

/** Page size in bytes. A page holds several objects, and few pages make a short commit. */
export const pageBytes = 16_384

/** Identifies the file: "stvm". */
const applicationId = 0x7374766d

/**
 * `obj` points to the live revision of each object. `log` has one row per revision that is live or
 * in the history; `prev` leads to the state before, so no state is stored twice. A row of a
 * deletion has no value.
 */
const tables = `
  CREATE TABLE meta (k TEXT PRIMARY KEY, v) WITHOUT ROWID;
  CREATE TABLE res (rid INTEGER PRIMARY KEY, grp TEXT NOT NULL, plural TEXT NOT NULL, UNIQUE (grp, plural));
  CREATE TABLE obj (kid INTEGER PRIMARY KEY, rid INTEGER NOT NULL, ns TEXT NOT NULL, name TEXT NOT NULL, uid TEXT,
    crev INTEGER NOT NULL, rev INTEGER NOT NULL, UNIQUE (rid, ns, name));
  CREATE TABLE log (rev INTEGER PRIMARY KEY, kid INTEGER NOT NULL, prev INTEGER NOT NULL, op INTEGER NOT NULL, ts INTEGER NOT NULL, val BLOB);
`

/** Values of `op` in `log`. */
export const operations = { ADDED: 1, MODIFIED: 2, DELETED: 3 } as const

/** Configures a connection for writes. The writer runs no checkpoints, to keep commits short. */
export function configure(database: DatabaseSync, synchronous: 'FULL' | 'NORMAL'): void {
  database.exec(`
    PRAGMA synchronous = ${synchronous};
    PRAGMA wal_autocheckpoint = 0;
    PRAGMA journal_size_limit = 67108864;
    PRAGMA cache_size = -16384;
    PRAGMA temp_store = MEMORY;
  `)
}

/** @throws StoreOpenError when the file belongs to another program or has a newer schema */
export function checkSchema(database: DatabaseSync, path: string): void {
  if (pragma(database, 'application_id') !== applicationId) {
    throw new StoreOpenError('NotAStore', path, 'it is a database of another program; choose another path')
  }
  const version = pragma(database, 'user_version')
  if (version > schemaVersion) {
    const found = `its schema has version ${version} and this program knows versions up to ${schemaVersion}`
    throw new StoreOpenError('NewerSchema', path, `${found}; run the newer program, or restore a backup from before the upgrade`)
  }
}

/**
 * Creates an empty store under another name and renames it when it is complete and synced: a
 * partial store never exists, and one fsync suffices. The mode is 0600, as the store holds Secrets
 * and SQLite would use the umask.
 */
export function createStoreFile(path: string): void {
  const unfinished = `${path}.new`
  // SQLite would replay the log of a deleted file into the new one.
  for (const leftover of [unfinished, `${unfinished}-wal`, `${unfinished}-shm`, `${path}-wal`, `${path}-shm`])
    rmSync(leftover, { force: true })
  closeSync(openSync(unfinished, 'wx', 0o600))
  {
    using database = new DatabaseSync(unfinished)
    database.exec(`
      PRAGMA synchronous = OFF;
      PRAGMA page_size = ${pageBytes};
      PRAGMA auto_vacuum = INCREMENTAL;
      PRAGMA journal_mode = WAL;
      BEGIN;
      ${tables}
      PRAGMA application_id = ${applicationId};
      PRAGMA user_version = ${schemaVersion};
      COMMIT;
    `)
  }
  const file = openSync(unfinished, 'r+')
  fsyncSync(file)
  closeSync(file)
  renameSync(unfinished, path)
}

/** Reads an integer setting of the database. */
export function pragma(database: DatabaseSync, name: string): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name] ?? 0)
}
