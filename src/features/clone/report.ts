import { virtualMachineClones } from '#api/clone/v1beta1/resources.ts'
import type { VirtualMachineClone, VirtualMachineCloneStatus } from '#api/clone/v1beta1/virtual-machine-clone.ts'
import { setCondition } from '#apimachinery/conditions.ts'
import { found } from '#client/found.ts'
import { patchStatus } from '#client/patch-status.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import { restoreNameOf, snapshotNameOf, targetNameOf, type Step } from './decide.ts'
import type { Ports } from './reconciler.ts'

/** Tells on the clone how far it is, with at most one write. */
export async function report(ports: Ports, clone: VirtualMachineClone, step: Step): Promise<void> {
  const change = changeAfter(clone, step, timestamp(ports.clock.now()))
  if (change === undefined) return
  const told = await found(patchStatus(ports.client, virtualMachineClones, clone, change))
  if (told !== undefined && change.phase !== clone.status?.phase) announce(ports, clone, step)
}

/** Records KubeVirt's events, stage by stage, and a final one with the result. */
function announce({ recorder }: Ports, clone: VirtualMachineClone, step: Step): void {
  const tell = (reason: string, message: string): void => recorder.event(clone, 'Normal', reason, message)
  const snapshot = snapshotNameOf(clone)
  const target = targetNameOf(clone)
  switch (step.kind) {
    case 'takeSnapshot':
      return tell('SnapshotCreated', `Asked for VirtualMachineSnapshot ${snapshot}`)
    case 'restore':
      tell('SnapshotReady', `VirtualMachineSnapshot ${snapshot} is ready to use`)
      return tell('RestoreCreated', `Asked for VirtualMachineRestore ${restoreNameOf(clone)}`)
    case 'succeed':
      tell('RestoreReady', `VirtualMachineRestore ${restoreNameOf(clone)} is complete`)
      tell('TargetVMCreated', `VirtualMachine ${target} is there`)
      return tell('VMCloneSucceeded', `Made VirtualMachine ${target} of ${clone.spec.source.name}`)
    case 'fail':
      return recorder.event(clone, 'Warning', 'VMCloneFailed', step.why)
    case 'none':
    case 'cleanUp':
    case 'waitForSnapshot':
    case 'waitForRestore':
    case 'waitForTarget':
  }
}

function changeAfter(clone: VirtualMachineClone, step: Step, now: string): VirtualMachineCloneStatus | undefined {
  const names = { snapshotName: snapshotNameOf(clone), targetName: targetNameOf(clone) }
  const restoreName = restoreNameOf(clone)
  switch (step.kind) {
    case 'takeSnapshot':
      return { ...names, phase: 'SnapshotInProgress', ...progress(clone, { now, why: 'Snapshot in progress', isOver: false }) }
    case 'waitForSnapshot':
      return { ...names, phase: 'SnapshotInProgress', ...progress(clone, { now, why: step.why, isOver: false }) }
    case 'restore':
      return { ...names, restoreName, phase: 'RestoreInProgress', ...progress(clone, { now, why: 'Restore in progress', isOver: false }) }
    case 'waitForRestore':
      return { ...names, restoreName, phase: 'RestoreInProgress', ...progress(clone, { now, why: step.why, isOver: false }) }
    case 'waitForTarget':
      return { ...names, restoreName, phase: 'CreatingTargetVM', ...progress(clone, { now, why: 'Creating target', isOver: false }) }
    case 'succeed':
      // The intermediate objects are about to be deleted.
      return {
        targetName: targetNameOf(clone),
        snapshotName: null,
        restoreName: null,
        creationTime: now,
        phase: 'Succeeded',
        ...progress(clone, { now, why: 'Operation complete', isOver: true }),
      }
    case 'fail':
      return { ...names, phase: 'Failed', ...progress(clone, { now, why: step.why, isOver: false, isFailed: true }) }
    case 'none':
    case 'cleanUp':
      return undefined
  }
}

function progress(
  { status }: VirtualMachineClone,
  {
    now,
    why,
    isOver,
    isFailed = false,
  }: { readonly now: string; readonly why: string; readonly isOver: boolean; readonly isFailed?: boolean },
): Pick<VirtualMachineCloneStatus, 'conditions'> {
  const progressing = { type: 'Progressing', status: isOver || isFailed ? 'False' : 'True', reason: why }
  const ready = { type: 'Ready', status: isOver ? 'True' : 'False', reason: why }
  return { conditions: setCondition(setCondition(status?.conditions, progressing, now), ready, now) }
}
