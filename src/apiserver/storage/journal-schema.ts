import type { DatabaseSync } from 'node:sqlite'

import { StoreOpenError } from './store-open-error.ts'

/** Version of the tables that this program writes. */
export const schemaVersion = 1

/** Size of a page. Objects of a few kilobytes fit several to a page, and few pages make a short commit. */
export const pageBytes = 16_384

/** Marks the file as ours: "stvm". */
const applicationId = 0x7374766d

/**
 * `obj` points to the live revision of each object. `log` has one row per revision that is live or in the history; `prev` leads to
 * the state before, so no state is stored twice. A row of a deletion has no value.
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

/** Sets up a connection that writes. Large pages and no checkpoints by the writer keep commits short. */
export function configure(database: DatabaseSync, synchronous: 'FULL' | 'NORMAL'): void {
  database.exec(`
    PRAGMA page_size = ${pageBytes};
    PRAGMA auto_vacuum = INCREMENTAL;
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = ${synchronous};
    PRAGMA wal_autocheckpoint = 0;
    PRAGMA journal_size_limit = 67108864;
    PRAGMA cache_size = -16384;
    PRAGMA temp_store = MEMORY;
  `)
}

/** Whether the file has no tables yet. @throws StoreOpenError when it has other tables than ours, or newer ones */
export function isEmpty(database: DatabaseSync, path: string): boolean {
  const version = pragma(database, 'user_version')
  const application = pragma(database, 'application_id')
  if (application === 0 && version === 0) {
    if (database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined) return true
  }
  if (application !== applicationId) {
    throw new StoreOpenError('NotAStore', path, 'it is a database of another program; choose another path')
  }
  if (version > schemaVersion) {
    const found = `its schema has version ${version} and this program knows versions up to ${schemaVersion}`
    throw new StoreOpenError('NewerSchema', path, `${found}; run the newer program, or restore a backup from before the upgrade`)
  }
  return false
}

/** Creates the tables, all or nothing. */
export function createTables(database: DatabaseSync): void {
  database.exec(`
    BEGIN IMMEDIATE;
    ${tables}
    PRAGMA application_id = ${applicationId};
    PRAGMA user_version = ${schemaVersion};
    COMMIT;
  `)
}

/** An integer setting of the database. */
export function pragma(database: DatabaseSync, name: string): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name] ?? 0)
}
