import { explainSqlite, sqliteCode, sqliteCodes } from './sqlite-error.ts'

/** Reason for which a store cannot be opened. */
export type StoreOpenReason =
  /** The file is truncated or damaged. */
  | 'Corrupt'
  /** The file is not a store. */
  | 'NotAStore'
  /** The file or its directory may not be read or written. */
  | 'Permission'
  | 'DiskFull'
  /** The path is a directory. */
  | 'IsDirectory'
  /** A newer program has written the file. */
  | 'NewerSchema'
  /** Another process has the store open. */
  | 'InUse'
  /** Any other error of the operating system. */
  | 'System'

/** The store cannot be opened. The message names the file, the reason and the remedy. */
export class StoreOpenError extends Error {
  override readonly name = 'StoreOpenError'
  readonly reason: StoreOpenReason
  readonly path: string
  constructor(reason: StoreOpenReason, path: string, happenedAndRemedy: string, options?: ErrorOptions) {
    super(`cannot open the store "${path}": ${happenedAndRemedy}`, options)
    this.reason = reason
    this.path = path
  }
}

/** The file is damaged. */
export function corrupt(path: string, found: string, options?: ErrorOptions): StoreOpenError {
  const remedy = 'restore it with "steadyvm restore FILE", or move it away to start empty'
  return new StoreOpenError('Corrupt', path, `the file is damaged (${found}); ${remedy}`, options)
}

/** Classifies an error of SQLite or the file system at opening. */
export function toStoreOpenError(path: string, error: unknown): StoreOpenError {
  if (error instanceof StoreOpenError) return error
  const reason = reasonOf(error)
  if (reason === 'Corrupt') return corrupt(path, error instanceof Error ? error.message : String(error), { cause: error })
  const { happened, remedy } = explain(error, reason)
  return new StoreOpenError(reason, path, `${happened}; ${remedy}`, { cause: error })
}

function explain(error: unknown, reason: StoreOpenReason): { readonly happened: string; readonly remedy: string } {
  if (sqliteCode(error) !== undefined) return explainSqlite(error)
  if (reason === 'Permission') return { happened: 'access is denied', remedy: 'check the owner and mode of the file and its directory' }
  if (reason === 'DiskFull') return { happened: 'the disk is full', remedy: 'free some space' }
  return explainSqlite(error)
}

const reasonsByCode: ReadonlyMap<number, StoreOpenReason> = new Map([
  [sqliteCodes.corrupt, 'Corrupt'],
  [sqliteCodes.notADatabase, 'Corrupt'],
  [sqliteCodes.full, 'DiskFull'],
  [sqliteCodes.readOnly, 'Permission'],
  [sqliteCodes.permission, 'Permission'],
  [sqliteCodes.cannotOpen, 'Permission'],
  [sqliteCodes.busy, 'InUse'],
  [sqliteCodes.locked, 'InUse'],
])

const reasonsByErrno: ReadonlyMap<string, StoreOpenReason> = new Map([
  ['EACCES', 'Permission'],
  ['EPERM', 'Permission'],
  ['EROFS', 'Permission'],
  ['ENOSPC', 'DiskFull'],
  ['EDQUOT', 'DiskFull'],
  ['EISDIR', 'IsDirectory'],
])

function reasonOf(error: unknown): StoreOpenReason {
  const code = sqliteCode(error)
  if (code !== undefined) return reasonsByCode.get(code) ?? 'System'
  const errno = error instanceof Error && 'code' in error ? String(error.code) : ''
  return reasonsByErrno.get(errno) ?? 'System'
}
