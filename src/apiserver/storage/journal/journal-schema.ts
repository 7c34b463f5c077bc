import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

import { StoreOpenError } from './store-open-error.ts'

/** Version of the tables that this program writes. */
export const schemaVersion = 1

/**
 * Size of a page. Objects of a few kilobytes fit several to a page, and few pages make a short
 * commit.
 */
export const pageBytes = 16_384

/** Marks the file as ours: "stvm". */
const applicationId = 0x7374766d

/**
 * `obj` points to the live revision of each object. `log` has one row per revision that is live or in the history; `prev` leads to the state before, so no state is stored twice. A row of a deletion has no value.
 */
const tables = `
  CREATE TABLE meta (k TEXT PRIMARY KEY, v) WITHOUT ROWID;
  CREATE TABLE res (rid INTEGER PRIMARY KEY, grp TEXT NOT NULL, plural TEXT NOT NULL, UNIQUE (grp, plural));
  CREATE TABLE obj (kid INTEGER PRIMARY KEY, rid INTEGER NOT NULL, ns TEXT NOT NULL, name TEXT NOT NULL, uid TEXT,
    crev INTEGER NOT NULL, rev INTEGER NOT NULL, UNIQUE (rid, ns, name));
  CREATE TABLE log (rev INTEGER PRIMARY KEY, kid INTEGER NOT NULL, prev INTEGER NOT NULL, op INTEGER NOT NULL, ts INTEGER NOT NULL, val BLOB);
`

/** `op` in `log`. */
export const operations = { ADDED: 1, MODIFIED: 2, DELETED: 3 } as const

/** Sets up a connection that writes. No checkpoints by the writer keep commits short. */
export function configure(database: DatabaseSync, synchronous: 'FULL' | 'NORMAL'): void {
  database.exec(`
    PRAGMA synchronous = ${synchronous};
    PRAGMA wal_autocheckpoint = 0;
    PRAGMA journal_size_limit = 67108864;
    PRAGMA cache_size = -16384;
    PRAGMA temp_store = MEMORY;
  `)
}

/** @throws StoreOpenError when the file has other tables than ours, or newer ones */
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
 * Creates an empty store. It is made under another name and renamed when it is whole and on the
 * disk: there is never half a store, and one fsync is enough. Only the owner can read it, for it
 * will hold secrets, and SQLite would make it readable for all.
 */
export function createStoreFile(path: string): void {
  const unfinished = `${path}.new`
  // A log that belongs to a file which is gone would be replayed into the new one.
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

/** An integer setting of the database. */
export function pragma(database: DatabaseSync, name: string): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name] ?? 0)
}
