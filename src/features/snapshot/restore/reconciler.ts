import { JsonPatchError } from '#apimachinery/patch/json-patch.ts'
import { isInvalid } from '#apimachinery/errors.ts'
import { CaptureFailed } from '#features/instancetype/index.ts'
import { done, recheckIn, type Reconciler, type Request, type Result } from '#runtime/controller/reconcile.ts'
import { freeFromRestore } from '../locks/stale-locks.ts'
import { contentName } from '../names.ts'
import { boundTo, type Ports } from '../ports.ts'
import { act } from './act.ts'
import { decide, type Observed, type Step } from './decide.ts'
import { report } from './report.ts'

/** Creates the reconciler of VirtualMachineRestores. */
export function createRestoreReconciler(shared: Ports): Reconciler {
  return async (request, { signal }) => {
    const ports = boundTo(signal, shared)
    await freeFromRestore(ports, request)
    const observed = observe(ports, request)
    if (observed === undefined) return done
    const { restore } = observed
    const step = decide(observed, ports.clock.now())
    try {
      await act(ports, restore, step)
    } catch (error) {
      if (error instanceof JsonPatchError || error instanceof SyntaxError) {
        await report(ports, restore, { kind: 'fail', why: `The patches cannot be applied: ${error.message}` })
        return done
      }
      if (!(error instanceof CaptureFailed || isInvalid(error))) throw error
      await report(ports, restore, step, (error as Error).message)
      return recheckIn(retryMs)
    }
    await report(ports, restore, step)
    return afterwards(step, ports.clock.now())
  }
}

/** Milliseconds. A restored revision triggers no reconcile. */
const retryMs = 5_000

function afterwards(step: Step, nowMs: number): Result {
  return step.kind === 'wait' && step.until !== undefined ? recheckIn(Math.max(0, step.until - nowMs)) : done
}

function observe(ports: Ports, { namespace, name }: Request): Observed | undefined {
  const restore = ports.restores.get(namespace, name)
  if (restore === undefined) return undefined
  const snapshot = ports.snapshots.get(namespace, restore.spec.virtualMachineSnapshotName)
  const named = snapshot?.status?.virtualMachineSnapshotContentName ?? contentName(snapshot?.metadata.uid ?? '')
  return {
    restore,
    snapshot,
    content: ports.contents.get(namespace, named),
    vm: ports.vms.get(namespace, restore.spec.target.name),
    vmi: ports.vmis.get(namespace, restore.spec.target.name),
  }
}
