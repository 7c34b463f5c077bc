import { isSnapshotFinal } from '#api/snapshot/v1beta1/phase.ts'
import { isForbidden, isInvalid, StatusError } from '#apimachinery/errors.ts'
import { CaptureFailed } from '#features/instancetype/index.ts'
import { done, recheckIn, type Reconciler, type Result } from '#runtime/controller/reconcile.ts'
import { freeFromSnapshot } from '../locks/stale-locks.ts'
import { act } from './act.ts'
import { deadlineOf, decide } from './decide.ts'
import { observe } from './observe.ts'
import { boundTo, type Ports } from '../ports.ts'
import { BackupObjectExists } from '../volumes/act-volumes.ts'
import { report } from './report.ts'

/** Creates the reconciler of VirtualMachineSnapshots. */
export function createSnapshotReconciler(shared: Ports): Reconciler {
  return async (request, { signal }) => {
    const ports = boundTo(signal, shared)
    await freeFromSnapshot(ports, request)
    const observed = await observe(ports, request)
    if (observed === undefined) return done
    const { snapshot } = observed
    const step = decide(observed, ports.clock.now())
    try {
      await act(ports, snapshot, step)
    } catch (error) {
      const isRefused = error instanceof StatusError && (isInvalid(error) || isForbidden(error))
      if (!(error instanceof CaptureFailed || error instanceof BackupObjectExists || isRefused)) throw error
      // The error is reported to the user and retried until the deadline.
      await report(ports, snapshot, step, error.message)
      return recheckIn(Math.min(retryMs, untilDeadlineMs(snapshot, ports)))
    }
    await report(ports, snapshot, step)
    if (step.kind === 'backUp')
      return recheckIn(Math.min(step.step.kind === 'wait' ? waitOf(step.step) : pollMs, untilDeadlineMs(snapshot, ports)))
    return step.kind === 'wait' ? waiting(untilDeadlineMs(snapshot, ports)) : done
  }
}

/**
 * Milliseconds. Most problems end with a change that triggers no reconcile: a restored revision, an
 * instance type.
 */
const retryMs = 5_000

/** Milliseconds. VolumeSnapshots are not watched: clusters may have none. */
const pollMs = 1_000

function waitOf({ isPolled }: { readonly isPolled?: boolean }): number {
  return isPolled === true ? pollMs : retryMs
}

function untilDeadlineMs(snapshot: Parameters<typeof deadlineOf>[0], { clock }: Ports): number {
  return isSnapshotFinal(snapshot) ? Infinity : Math.max(0, deadlineOf(snapshot) - clock.now())
}

/**
 * Returns the requeue delay. Only the deadline needs one: changes of watched objects wake the
 * snapshot.
 */
function waiting(ms: number): Result {
  return ms === Infinity ? done : recheckIn(ms)
}
