import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { checkSchema } from './journal-schema.ts'
import { corrupt, toStoreOpenError } from './store-open-error.ts'

/** Content of a store, as a backup reports it. */
export interface StoreSummary {
  /** The resourceVersion of the last write. */
  readonly revision: number
  readonly objects: number
  /** PersistentVolumes: their paths tie a backup to the directory of its disks. */
  readonly persistentVolumes: number
}

/** Milliseconds to wait for a lock of the API server, which holds each for a commit. */
const BUSY_TIMEOUT_MS = 10_000

/**
 * Writes all of a store as of one moment to a new file, also while an API server uses it: readers
 * of a write-ahead log hold up no writer. The copy is compact, and only the owner can read it.
 * @throws StoreOpenError
 */
export function copyStore(from: string, to: string): void {
  try {
    closeSync(openSync(to, 'wx', 0o600))
    using database = new DatabaseSync(from, { timeout: BUSY_TIMEOUT_MS })
    checkSchema(database, from)
    database.prepare('VACUUM INTO ?').run(to)
  } catch (error) {
    throw toStoreOpenError(from, error)
  }
}

/**
 * Checks every page and index of a store that no process uses, and makes it ready for the API
 * server, which expects a write-ahead log. @throws StoreOpenError when it is damaged, or no store
 */
export function prepareStoreCopy(path: string): StoreSummary {
  try {
    using database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS })
    checkSchema(database, path)
    const found = String(database.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check'])
    if (found !== 'ok') throw corrupt(path, found)
    database.exec('PRAGMA journal_mode = WAL')
    const count = (condition: string): number =>
      Number(
        database
          .prepare(`SELECT count(*) AS n FROM obj JOIN log USING (rev) JOIN res USING (rid) WHERE log.val IS NOT NULL AND ${condition}`)
          .get()?.['n'] ?? 0,
      )
    return {
      revision: Number(database.prepare('SELECT max(rev) AS rev FROM log').get()?.['rev'] ?? 0),
      objects: count('TRUE'),
      persistentVolumes: count(`res.grp = '' AND res.plural = 'persistentvolumes'`),
    }
  } catch (error) {
    throw toStoreOpenError(path, error)
  }
}
