/** Primary result codes of SQLite: https://sqlite.org/rescode.html */
export const sqliteCodes = {
  permission: 3,
  busy: 5,
  locked: 6,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notADatabase: 26,
} as const

/** Primary result code of an error thrown by node:sqlite, or undefined for another error. */
export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined
  return error.errcode & 0xff
}

/** Describes an error as a clause after "because", and the remedy. */
export function explainSqlite(error: unknown): { readonly happened: string; readonly remedy: string } {
  switch (sqliteCode(error)) {
    case sqliteCodes.full:
      return { happened: 'the disk is full', remedy: 'free some space' }
    case sqliteCodes.ioError:
      return { happened: `the disk reported an error (${text(error)})`, remedy: 'check the disk and the kernel log' }
    case sqliteCodes.readOnly:
    case sqliteCodes.permission:
      return { happened: 'the file may not be written', remedy: 'check its owner and mode and whether the file system is read-only' }
    case sqliteCodes.busy:
    case sqliteCodes.locked:
      return { happened: 'another program holds a lock on the file', remedy: 'close programs such as the sqlite3 shell that have it open' }
    case sqliteCodes.corrupt:
    case sqliteCodes.notADatabase:
      return { happened: 'the file is damaged', remedy: 'restore it with "steadyvm restore FILE"' }
    case sqliteCodes.cannotOpen:
      return { happened: 'the file cannot be opened', remedy: 'check that its directory exists and may be written' }
    case undefined:
    default:
      return { happened: text(error), remedy: 'look at the cause' }
  }
}

function text(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
