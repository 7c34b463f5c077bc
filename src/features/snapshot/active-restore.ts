import { isTrue } from '#apimachinery/conditions.ts'
import type { VirtualMachineRestore } from '#api/snapshot/v1beta1/virtual-machine-restore.ts'

/** Reports whether a restore still needs its snapshot and its VM. */
export function isRestoreActive({ metadata, status }: VirtualMachineRestore): boolean {
  return metadata.deletionTimestamp === undefined && status?.complete !== true && !isTrue(status?.conditions, 'Failure')
}
