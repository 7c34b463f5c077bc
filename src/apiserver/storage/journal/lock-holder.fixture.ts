// Opens the store that it is given, as the user that it is given, says so, and waits to be killed;
// or says why it could not.
import { openObjectStore } from '../open-object-store.ts'
import { StoreOpenError } from './store-open-error.ts'

// Only now: the program may lie where that user may not read.
if (process.argv[3] !== undefined) process.setuid?.(Number(process.argv[3]))
try {
  openObjectStore({ path: process.argv[2] ?? '', now: () => Math.trunc(performance.timeOrigin + performance.now()) })
  process.stdout.write('open\n')
  setInterval(() => {}, 60_000)
} catch (error) {
  process.stdout.write(`${error instanceof StoreOpenError ? error.reason : String(error)}\n`)
}
