import type { TypedLocalObjectReference } from '#api/core/v1/references.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Time } from '#api/scalars.ts'
import type { SnapshotCondition } from './condition.ts'

/** Request to restore a VM from a snapshot. */
export interface VirtualMachineRestore extends ApiObject {
  /** Requested operation. Immutable. */
  spec: VirtualMachineRestoreSpec
  /** Observed state. */
  status?: VirtualMachineRestoreStatus
}

/** VM to restore, source snapshot and settings of a restore. */
export interface VirtualMachineRestoreSpec {
  /**
   * VM to restore, in the same namespace: the source of the snapshot, or a VM that does not exist
   * yet.
   */
  target: TypedLocalObjectReference
  /** Name of the VirtualMachineSnapshot, in the same namespace. */
  virtualMachineSnapshotName: string
  /**
   * Policy for a target VM that is running: StopTarget, WaitGracePeriod, FailImmediate or
   * WaitEventually.
   * @default WaitGracePeriod
   * @enum StopTarget,WaitGracePeriod,FailImmediate,WaitEventually
   */
  targetReadinessPolicy?: TargetReadinessPolicy
  /**
   * Policy for the names of restored volumes: RandomizeNames (default), InPlace or
   * PrefixTargetName. InPlace deletes the volumes that have the names.
   */
  volumeRestorePolicy?: VolumeRestorePolicy
  /**
   * Owner of restored volumes: Vm (default) or None. Volumes of DataVolume templates always belong
   * to the VM.
   */
  volumeOwnershipPolicy?: VolumeOwnershipPolicy
  /**
   * Settings of individual volumes.
   * @listType atomic
   */
  volumeRestoreOverrides?: VolumeRestoreOverride[]
  /**
   * JSON patches for the VM. Each item is one operation as JSON text. Only for a VM that does not
   * exist yet.
   * @listType atomic
   */
  patches?: string[]
}

/** Policy for the names of restored volumes. */
export type VolumeRestorePolicy = 'RandomizeNames' | 'InPlace' | 'PrefixTargetName'

/** Owner of restored volumes. */
export type VolumeOwnershipPolicy = 'Vm' | 'None'

/** Policy for a target VM that is running. */
export type TargetReadinessPolicy = 'StopTarget' | 'WaitGracePeriod' | 'FailImmediate' | 'WaitEventually'

/** Settings for the restore of one volume. */
export interface VolumeRestoreOverride {
  /** Name of the volume in the VM. */
  volumeName?: string
  /** Name of the restored PersistentVolumeClaim. */
  restoreName?: string
  /** Labels of the restored PersistentVolumeClaim. */
  labels?: Record<string, string>
  /** Annotations of the restored PersistentVolumeClaim. */
  annotations?: Record<string, string>
}

/** Observed state of a restore. */
export interface VirtualMachineRestoreStatus {
  /**
   * Restored volumes.
   * @listType atomic
   */
  restores?: VolumeRestore[]
  /** Time at which the restore was completed. */
  restoreTime?: Time
  /**
   * DataVolumes that the restored VM no longer uses.
   * @listType set
   */
  deletedDataVolumes?: string[]
  /** True if the restore is complete. */
  complete?: boolean
  /**
   * Conditions of the restore.
   * @listType atomic
   */
  conditions?: SnapshotCondition[]
}

/** Restored volume. */
export interface VolumeRestore {
  /** Name of the volume in the VM. */
  volumeName: string
  /** Name of the PersistentVolumeClaim. */
  persistentVolumeClaim: string
  /** Name of the VolumeSnapshot with the data, or of the claim with a copy of it. */
  volumeSnapshotName: string
  /** Name of the DataVolume of the PersistentVolumeClaim. */
  dataVolumeName?: string
}
