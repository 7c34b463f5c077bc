import type { StatusCause } from '#apimachinery/errors.ts'
import { semanticEqual } from '#apimachinery/equality.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { runStrategyOf } from './run-strategy.ts'

/**
 * On a VM that a restore has made: the restore, until the VM has its hardware. A new object cannot
 * be made together with its status.
 */
export const restoringAnnotation = 'steadyvm.io/restoring'

/**
 * Whether a restore is about to say what the VM is. Until then nothing is captured for it, and it
 * does not start.
 */
export function isBeingRestored({ metadata, status }: VirtualMachine): boolean {
  return (status?.restoreInProgress ?? '') !== '' || (metadata.annotations?.[restoringAnnotation] ?? '') !== ''
}

/**
 * What may not be changed while a snapshot of the VM is taken, or while it is restored. KubeVirt's
 * rules and words.
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
