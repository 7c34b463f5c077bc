import { done, recheckIn } from '#runtime/controller/reconcile.ts'
import { finish, type Progress } from '../guest/progress.ts'

/** Milliseconds that QEMU may take for a step: connections to the target are made in some. */
export const qmpTimeoutMs = 20_000
/** Milliseconds between two looks at a stream that flows. */
const pollIntervalMs = 100

/** Rechecks after the poll interval. */
export function pollAgain(): Progress {
  return finish(recheckIn(pollIntervalMs))
}

/** Rechecks when an object or QEMU changes. */
export function awaitChange(): Progress {
  return finish(done)
}
