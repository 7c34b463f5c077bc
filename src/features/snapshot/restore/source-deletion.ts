import type { VirtualMachineSnapshotContent } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import type { VirtualMachineSnapshot } from '#api/snapshot/v1beta1/virtual-machine-snapshot.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'

/**
 * Reports whether it is too late to start a restore. Content that is deleted with its snapshot is
 * marked before restores are listed; content that stays is not, so that the deletion timestamp of
 * the snapshot counts.
 */
export function isSourceBeingDeleted(snapshot: VirtualMachineSnapshot, content: VirtualMachineSnapshotContent | undefined): boolean {
  if (content !== undefined && isBeingDeleted(content)) return true
  if (!isBeingDeleted(snapshot)) return false
  return content === undefined || snapshot.status?.readyToUse !== true || snapshot.spec.deletionPolicy === 'Retain'
}
