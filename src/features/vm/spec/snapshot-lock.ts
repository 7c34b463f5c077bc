import type { StatusCause } from '#apimachinery/errors.ts'
import { semanticEqual } from '#apimachinery/equality.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { runStrategyOf } from './run-strategy.ts'

/**
 * On a VM that a restore has created: name of the restore, until the VM has its revisions. Needed
 * because a create request cannot set status.
 */
export const restoringAnnotation = 'steadyvm.io/restoring'

/**
 * Reports whether a restore is about to write the VM's spec and revisions. Until then nothing is
 * captured and the VM does not start.
 */
export function isBeingRestored({ metadata, status }: VirtualMachine): boolean {
  return (status?.restoreInProgress ?? '') !== '' || (metadata.annotations?.[restoringAnnotation] ?? '') !== ''
}

/**
 * Reports whether a snapshot may read the volumes of a VM that does not run: its guest must not
 * write to them meanwhile.
 */
export function isBeingSnapshotted({ spec, status }: VirtualMachine): boolean {
  if ((status?.snapshotInProgress ?? '') === '') return false
  return spec.template.spec.volumes?.some(({ persistentVolumeClaim, dataVolume }) => persistentVolumeClaim ?? dataVolume) === true
}

/**
 * Validates changes while a snapshot of the VM is taken or a restore is in progress. KubeVirt's
 * rules and texts.
 */
export function validateSnapshotLocks(vm: VirtualMachine, old: VirtualMachine | undefined): StatusCause[] {
  if (old === undefined) return []
  const { snapshotInProgress = '', restoreInProgress = '' } = old.status ?? {}
  const isRunChanged = runStrategyOf(vm) !== runStrategyOf(old)
  if (restoreInProgress !== '' && isRunChanged) {
    const verb = runStrategyOf(vm) === 'Halted' ? 'update VM runStrategy' : 'start VM'
    return [locked(`Cannot ${verb} until restore "${restoreInProgress}" completes`)]
  }
  if (snapshotInProgress === '') return []
  if (!semanticEqual(vm.spec.template.spec.volumes ?? [], old.spec.template.spec.volumes ?? []))
    return [locked(`Cannot update vm disks or volumes until snapshot "${snapshotInProgress}" completes`)]
  return isRunChanged ? [locked(`Cannot update vm running state until snapshot "${snapshotInProgress}" completes`)] : []
}

function locked(message: string): StatusCause {
  return { reason: 'FieldValueNotSupported', message, field: 'spec' }
}
