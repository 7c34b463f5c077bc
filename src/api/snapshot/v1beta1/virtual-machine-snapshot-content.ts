import type { ObjectMeta } from '#apimachinery/meta/object-meta.ts'
import type { PersistentVolumeClaimSpec } from '#api/core/v1/persistent-volume-claim.ts'
import type { VirtualMachineSpec, VirtualMachineStatus } from '#api/kubevirt/v1/virtual-machine.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Time } from '#api/scalars.ts'
import type { SnapshotError } from './condition.ts'

/** Content of a snapshot. */
export interface VirtualMachineSnapshotContent extends ApiObject {
  /** Content of the snapshot. */
  spec: VirtualMachineSnapshotContentSpec
  /** Whether all of it is there. */
  status?: VirtualMachineSnapshotContentStatus
}

/** Source, content and snapshot. */
export interface VirtualMachineSnapshotContentSpec {
  /** Name of the snapshot. */
  virtualMachineSnapshotName?: string
  /** The object as it was. */
  source: SnapshotSourceSpec
  /**
   * Backups of its volumes.
   * @listType atomic
   */
  volumeBackups?: VolumeBackup[]
}

/** The object that a snapshot was taken of, as it was. */
export interface SnapshotSourceSpec {
  /** A machine. */
  virtualMachine?: SnapshotVirtualMachine
}

/** A machine as it was. The revisions that its matchers name belong to the snapshot. */
export interface SnapshotVirtualMachine {
  /**
   * Name, labels and annotations.
   * @nullable
   * @preserveUnknownFields
   */
  metadata?: ObjectMeta
  /** Its spec. */
  spec?: VirtualMachineSpec
  /** Empty: what was known of it holds for that moment only. */
  status?: VirtualMachineStatus
}

/** Backup of a volume. */
export interface VolumeBackup {
  /** Name of the volume in the machine. */
  volumeName: string
  /** The claim as it was. */
  persistentVolumeClaim: SnapshotPersistentVolumeClaim
  /** Snapshot with its data. */
  volumeSnapshotName?: string
}

/** A claim as it was. */
export interface SnapshotPersistentVolumeClaim {
  /**
   * Name, labels and annotations.
   * @preserveUnknownFields
   */
  metadata?: ObjectMeta
  /** Its spec. */
  spec?: PersistentVolumeClaimSpec
}

/** Whether all that a snapshot has taken is there. */
export interface VirtualMachineSnapshotContentStatus {
  /**
   * When the machine was like this.
   * @nullable
   */
  creationTime?: Time | null
  /** Whether it can be restored. */
  readyToUse?: boolean
  /** Last error. */
  error?: SnapshotError
  /**
   * State of the snapshots of volumes.
   * @listType atomic
   */
  volumeSnapshotStatus?: VolumeSnapshotState[]
  /** How the writes of a running guest were held back. */
  snapshotMode?: string
}

/** State of the snapshot of a volume. */
export interface VolumeSnapshotState {
  /** Name of the snapshot. */
  volumeSnapshotName: string
  /**
   * The moment.
   * @nullable
   */
  creationTime?: Time | null
  /** Whether volumes can be made from it. */
  readyToUse?: boolean
  /** Last error. */
  error?: SnapshotError
}
