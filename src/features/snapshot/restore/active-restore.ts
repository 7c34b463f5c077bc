import { isRestoreFinal } from '#api/snapshot/v1beta1/phase.ts'
import type { VirtualMachineRestore } from '#api/snapshot/v1beta1/virtual-machine-restore.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'

/** Reports whether a restore still needs its snapshot and its VM. */
export function isRestoreActive(restore: VirtualMachineRestore): boolean {
  return !isBeingDeleted(restore) && !isRestoreFinal(restore)
}
