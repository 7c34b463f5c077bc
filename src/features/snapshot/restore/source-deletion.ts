import type { VirtualMachineSnapshotContent } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import type { VirtualMachineSnapshot } from '#api/snapshot/v1beta1/virtual-machine-snapshot.ts'

/**
 * Whether it is too late to begin with a restore. Content that goes with its snapshot is marked
 * before anybody is asked who needs it; content that stays is not, so that the snapshot's own mark
 * has to do.
 */
export function isSourceBeingDeleted(snapshot: VirtualMachineSnapshot, content: VirtualMachineSnapshotContent | undefined): boolean {
  if (content?.metadata.deletionTimestamp !== undefined) return true
  if (snapshot.metadata.deletionTimestamp === undefined) return false
  return content === undefined || snapshot.status?.readyToUse !== true || snapshot.spec.deletionPolicy === 'Retain'
}
