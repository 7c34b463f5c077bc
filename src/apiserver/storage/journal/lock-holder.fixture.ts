// Opens the given store as the given user, prints the result, and waits to be killed.
import { openObjectStore } from '../open-object-store.ts'
import { StoreOpenError } from './store-open-error.ts'

// After the imports: that user may not be able to read the program.
if (process.argv[3] !== undefined) process.setuid?.(Number(process.argv[3]))
try {
  openObjectStore({ path: process.argv[2] ?? '', now: () => Math.trunc(performance.timeOrigin + performance.now()) })
  process.stdout.write('open\n')
  setInterval(() => {}, 60_000)
} catch (error) {
  process.stdout.write(`${error instanceof StoreOpenError ? error.reason : String(error)}\n`)
}
