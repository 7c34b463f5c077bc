import type { VirtualMachineRestore } from '#api/snapshot/v1beta1/virtual-machine-restore.ts'

/** apiVersion and kind for owner references. */
export const snapshotType = { apiVersion: 'snapshot.kubevirt.io/v1beta1', kind: 'VirtualMachineSnapshot' } as const
export const contentType = { apiVersion: 'snapshot.kubevirt.io/v1beta1', kind: 'VirtualMachineSnapshotContent' } as const

/** Keeps a snapshot until its content is dealt with. */
export const snapshotFinalizer = 'snapshot.kubevirt.io/vmsnapshot-protection'
/** Keeps content as long as its snapshot. */
export const contentFinalizer = 'snapshot.kubevirt.io/vmsnapshotcontent-protection'
/** Protects a VM, and with it its revisions, until the snapshot is complete. */
export const sourceFinalizer = 'snapshot.kubevirt.io/snapshot-source-protection'
/** Keeps a restore until its VM is free again. */
export const restoreFinalizer = 'snapshot.kubevirt.io/vmrestore-protection'

/** On a VM: name and UID of the last restore. */
export const lastRestoreAnnotation = 'restore.kubevirt.io/lastRestoreUID'

/** Value of {@link lastRestoreAnnotation}. */
export function restoreMark({ metadata }: VirtualMachineRestore): string {
  return `${metadata.name ?? ''}-${metadata.uid ?? ''}`
}

/**
 * On content: the indications at its creation, separated by commas. The snapshot's status is
 * derived from it.
 */
export const indicationsAnnotation = 'steadyvm.io/indications'

/** Name of the content of a snapshot. */
export function contentName(snapshotUid: string): string {
  return `vmsnapshot-content-${snapshotUid}`
}

/**
 * On content: UID of the VMI whose QEMU copies the volumes, or whose agent holds back writes while
 * snapshots of them are taken. Absent: no guest ran.
 */
export const guestAnnotation = 'steadyvm.io/guest-uid'
/** On pods that attach targets of copies: name of the snapshot. */
export const copiesForAnnotation = 'steadyvm.io/copies-for-snapshot'
/** On restored volumes: name of the restore. */
export const restoreNameAnnotation = 'restore.kubevirt.io/name'

/** Name of the VolumeSnapshot of a volume, or of the claim with its copy. */
export function backupName(snapshotUid: string, volume: string): string {
  return `vmsnapshot-${snapshotUid}-volume-${volume}`
}
