import { done, recheckIn } from '#runtime/controller/reconcile.ts'
import { finish, type Progress } from '../guest/progress.ts'

/** Limit in milliseconds for a migration step in QEMU, which may connect to the target. */
export const qmpTimeoutMs = 20_000
/** Milliseconds between checks of a migration in progress. */
const pollIntervalMs = 100

/** Rechecks after the poll interval. */
export function pollAgain(): Progress {
  return finish(recheckIn(pollIntervalMs))
}

/** Rechecks when an object or QEMU changes. */
export function awaitChange(): Progress {
  return finish(done)
}
