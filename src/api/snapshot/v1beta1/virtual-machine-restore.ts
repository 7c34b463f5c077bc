import type { TypedLocalObjectReference } from '#api/core/v1/references.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Time } from '#api/scalars.ts'
import type { SnapshotCondition } from './condition.ts'

/** Asks that a machine become what a snapshot holds. */
export interface VirtualMachineRestore extends ApiObject {
  /** Requested operation. Immutable. */
  spec: VirtualMachineRestoreSpec
  /** Observed state. */
  status?: VirtualMachineRestoreStatus
}

/** Which machine, from which snapshot, and how. */
export interface VirtualMachineRestoreSpec {
  /**
   * The machine, in the same namespace: the one that the snapshot was taken of, or one that does
   * not exist yet.
   */
  target: TypedLocalObjectReference
  /** The snapshot, in the same namespace. */
  virtualMachineSnapshotName: string
  /**
   * Action when the machine runs: StopTarget, WaitGracePeriod, FailImmediate or WaitEventually.
   * @default WaitGracePeriod
   * @enum StopTarget,WaitGracePeriod,FailImmediate,WaitEventually
   */
  targetReadinessPolicy?: TargetReadinessPolicy
  /**
   * Names of restored volumes: RandomizeNames, InPlace or PrefixTargetName. Accepted; no disks are
   * restored yet.
   */
  volumeRestorePolicy?: string
  /** Whom restored volumes belong to: Vm or None. Accepted; no disks are restored yet. */
  volumeOwnershipPolicy?: string
  /**
   * Settings of single volumes. Accepted; no disks are restored yet.
   * @listType atomic
   */
  volumeRestoreOverrides?: VolumeRestoreOverride[]
  /**
   * JSON patches of the machine, each an operation as text. Only for one that does not exist yet.
   * @listType atomic
   */
  patches?: string[]
}

/** Action when the machine to restore runs. */
export type TargetReadinessPolicy = 'StopTarget' | 'WaitGracePeriod' | 'FailImmediate' | 'WaitEventually'

/** Settings of a volume that is restored. */
export interface VolumeRestoreOverride {
  /** Name of the volume in the machine. */
  volumeName?: string
  /** Name of the restored claim. */
  restoreName?: string
  /** Labels of the restored claim. */
  labels?: Record<string, string>
  /** Annotations of the restored claim. */
  annotations?: Record<string, string>
}

/** Observed state of a restore. */
export interface VirtualMachineRestoreStatus {
  /**
   * Its volumes.
   * @listType atomic
   */
  restores?: VolumeRestore[]
  /** When it was done. */
  restoreTime?: Time
  /**
   * DataVolumes that had no place in the machine any more.
   * @listType set
   */
  deletedDataVolumes?: string[]
  /** Whether it is over. */
  complete?: boolean
  /**
   * The state, by aspect.
   * @listType atomic
   */
  conditions?: SnapshotCondition[]
}

/** A volume that was restored. */
export interface VolumeRestore {
  /** Name of the volume in the machine. */
  volumeName: string
  /** The claim. */
  persistentVolumeClaim: string
  /** Snapshot that its data come from. */
  volumeSnapshotName: string
  /** DataVolume that goes with it. */
  dataVolumeName?: string
}
