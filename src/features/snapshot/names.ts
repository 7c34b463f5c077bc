/** How owners say what they are. */
export const snapshotType = { apiVersion: 'snapshot.kubevirt.io/v1beta1', kind: 'VirtualMachineSnapshot' } as const
export const contentType = { apiVersion: 'snapshot.kubevirt.io/v1beta1', kind: 'VirtualMachineSnapshotContent' } as const

/** Keeps a snapshot until its content is dealt with. */
export const snapshotFinalizer = 'snapshot.kubevirt.io/vmsnapshot-protection'
/** Keeps content as long as its snapshot. */
export const contentFinalizer = 'snapshot.kubevirt.io/vmsnapshotcontent-protection'
/** Keeps a VM, and with it its revisions, until the snapshot has what it needs. */
export const sourceFinalizer = 'snapshot.kubevirt.io/snapshot-source-protection'
/** Keeps a restore until its VM is free again. */
export const restoreFinalizer = 'snapshot.kubevirt.io/vmrestore-protection'

/** On a VM: name and UID of the restore that has last said what it is. */
export const lastRestoreAnnotation = 'restore.kubevirt.io/lastRestoreUID'

/**
 * On content: the indications of the moment at which it was taken, with commas. The snapshot's
 * status is derived from it.
 */
export const indicationsAnnotation = 'steadyvm.io/indications'

/** Name of the content of a snapshot. */
export function contentName(snapshotUid: string): string {
  return `vmsnapshot-content-${snapshotUid}`
}
