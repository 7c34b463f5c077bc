import { isTrue } from '#apimachinery/conditions.ts'
import type { VirtualMachineRestore } from './virtual-machine-restore.ts'
import type { VirtualMachineSnapshot } from './virtual-machine-snapshot.ts'

/** Reports whether the snapshot has succeeded or failed. Both states are final. */
export function isSnapshotFinal({ status }: Pick<VirtualMachineSnapshot, 'status'>): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed' || isTrue(status?.conditions, 'Failure')
}

/** Reports whether the restore is complete or has failed. Both states are final. */
export function isRestoreFinal({ status }: Pick<VirtualMachineRestore, 'status'>): boolean {
  return status?.complete === true || isTrue(status?.conditions, 'Failure')
}
