import type { ObjectMeta } from '#apimachinery/meta/object-meta.ts'
import type { PersistentVolumeClaimSpec } from '#api/core/v1/persistent-volume-claim.ts'
import type { VirtualMachineSpec, VirtualMachineStatus } from '#api/kubevirt/v1/virtual-machine.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Time } from '#api/scalars.ts'
import type { SnapshotError } from './condition.ts'

/** Content of a VirtualMachineSnapshot. */
export interface VirtualMachineSnapshotContent extends ApiObject {
  /** Content of the snapshot. */
  spec: VirtualMachineSnapshotContentSpec
  /** State of the content, and of the snapshots of its volumes. */
  status?: VirtualMachineSnapshotContentStatus
}

/** Source and volume backups of a snapshot, and the name of the snapshot. */
export interface VirtualMachineSnapshotContentSpec {
  /** Name of the VirtualMachineSnapshot. */
  virtualMachineSnapshotName?: string
  /** Source object at the time of the snapshot. */
  source: SnapshotSourceSpec
  /**
   * Backups of the volumes of the VM.
   * @listType atomic
   */
  volumeBackups?: VolumeBackup[]
}

/** Source object at the time of the snapshot. */
export interface SnapshotSourceSpec {
  /** VM at the time of the snapshot. */
  virtualMachine?: SnapshotVirtualMachine
}

/**
 * VM at the time of the snapshot. The revisions named in its matchers are owned by the snapshot.
 */
export interface SnapshotVirtualMachine {
  /**
   * Name, labels and annotations of the VM.
   * @nullable
   * @preserveUnknownFields
   */
  metadata?: ObjectMeta
  /** Spec of the VM. */
  spec?: VirtualMachineSpec
  /** Empty. The status of the VM at the time of the snapshot is not kept. */
  status?: VirtualMachineStatus
}

/** Backup of a volume. */
export interface VolumeBackup {
  /** Name of the volume in the VM. */
  volumeName: string
  /** PersistentVolumeClaim at the time of the snapshot. */
  persistentVolumeClaim: SnapshotPersistentVolumeClaim
  /** Name of the VolumeSnapshot with the data. Absent when a copy has it. */
  volumeSnapshotName?: string
  /** Backup that steadyvm adds to those of KubeVirt. */
  steadyvm?: SteadyVolumeBackup
}

/** Backup of a volume whose storage class cannot take snapshots. */
export interface SteadyVolumeBackup {
  /** Name of the PersistentVolumeClaim with a copy of the data. It is owned by this content. */
  copyClaimName: string
}

/** PersistentVolumeClaim at the time of the snapshot. */
export interface SnapshotPersistentVolumeClaim {
  /**
   * Name, labels and annotations of the PersistentVolumeClaim.
   * @preserveUnknownFields
   */
  metadata?: ObjectMeta
  /** Spec of the PersistentVolumeClaim. */
  spec?: PersistentVolumeClaimSpec
}

/** State of the content of a snapshot. */
export interface VirtualMachineSnapshotContentStatus {
  /**
   * Time at which the state of the VM was captured.
   * @nullable
   */
  creationTime?: Time | null
  /** True if the content can be restored. */
  readyToUse?: boolean
  /** Last error. */
  error?: SnapshotError
  /**
   * States of the snapshots of volumes.
   * @listType atomic
   */
  volumeSnapshotStatus?: VolumeSnapshotState[]
  /** Method for the handling of writes of a running guest. */
  snapshotMode?: string
}

/** State of the snapshot of a volume. */
export interface VolumeSnapshotState {
  /** Name of the VolumeSnapshot. */
  volumeSnapshotName: string
  /**
   * Time at which the VolumeSnapshot was taken.
   * @nullable
   */
  creationTime?: Time | null
  /** True if volumes can be created from the VolumeSnapshot. */
  readyToUse?: boolean
  /** Last error. */
  error?: SnapshotError
}
