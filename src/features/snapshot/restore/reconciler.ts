import { JsonPatchError } from '#apimachinery/patch/json-patch.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { isOwnedBy } from '#apimachinery/meta/owner-references.ts'
import { isInvalid } from '#apimachinery/errors.ts'
import { CaptureFailed } from '#features/instancetype/index.ts'
import { done, recheckIn, type Reconciler, type Request, type Result } from '#runtime/controller/reconcile.ts'
import { freeFromRestore } from '../locks/stale-locks.ts'
import { contentName } from '../names.ts'
import { boundTo, type Ports } from '../ports.ts'
import { act } from './act.ts'
import { decide, type Observed, type Step } from './decide.ts'
import { report } from './report.ts'
import { restoredVolumes } from './volumes/restored-volumes.ts'

/** Creates the reconciler of VirtualMachineRestores. */
export function createRestoreReconciler(shared: Ports): Reconciler {
  return async (request, { signal }) => {
    const ports = boundTo(signal, shared)
    await freeFromRestore(ports, request)
    const observed = observe(ports, request)
    if (observed === undefined) return done
    const { restore } = observed
    const reported = { restore, volumes: (observed.looks ?? []).map(({ volume }) => volume) }
    const step = decide(observed, ports.clock.now())
    try {
      await act(ports, restore, step)
    } catch (error) {
      if (error instanceof JsonPatchError || error instanceof SyntaxError) {
        await report(ports, reported, { kind: 'fail', why: `The patches cannot be applied: ${error.message}` })
        return done
      }
      if (!(error instanceof CaptureFailed || isInvalid(error))) throw error
      await report(ports, reported, step, (error as Error).message)
      return recheckIn(retryMs)
    }
    await report(ports, reported, step)
    return afterwards(step, ports.clock.now())
  }
}

/** Milliseconds. A restored revision triggers no reconcile. */
const retryMs = 5_000

/** Milliseconds. Claims of others that are deleted trigger no reconcile. */
const fillingMs = 2_000

function afterwards(step: Step, nowMs: number): Result {
  if (step.kind === 'fill') return recheckIn(fillingMs)
  return step.kind === 'wait' && step.until !== undefined ? recheckIn(Math.max(0, step.until - nowMs)) : done
}

function observe(ports: Ports, { namespace, name }: Request): Observed | undefined {
  const restore = ports.restores.get(namespace, name)
  if (restore === undefined) return undefined
  const snapshot = ports.snapshots.get(namespace, restore.spec.virtualMachineSnapshotName)
  const named = snapshot?.status?.virtualMachineSnapshotContentName ?? contentName(snapshot?.metadata.uid ?? '')
  const content = ports.contents.get(namespace, named)
  const { deletedDataVolumes = [] } = restore.status ?? {}
  const vm = ports.vms.get(namespace, restore.spec.target.name)
  return {
    restore,
    snapshot,
    content,
    looks: (content === undefined ? [] : restoredVolumes(restore, content)).map((volume) => ({
      volume,
      dataVolume: ports.dataVolumes.get(namespace, volume.name),
      claim: ports.claims.get(namespace, volume.name),
    })),
    obsolete: deletedDataVolumes.flatMap((name) => {
      const dataVolume = ports.dataVolumes.get(namespace, name)
      return dataVolume === undefined || vm === undefined || isBeingDeleted(dataVolume) || !isOwnedBy(dataVolume, vm) ? [] : [dataVolume]
    }),
    vm,
    vmi: ports.vmis.get(namespace, restore.spec.target.name),
  }
}
