import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Quantity, RawObject, Time } from '#api/scalars.ts'

/** State of a PersistentVolumeClaim at one point in time. */
export interface VolumeSnapshot extends ApiObject {
  /** Desired state. */
  spec: VolumeSnapshotSpec
  /** Observed state. */
  status?: VolumeSnapshotStatus
}

/** Desired state of a snapshot. */
export interface VolumeSnapshotSpec {
  /** Source of the snapshot. */
  source: VolumeSnapshotSource
  /** Name of the VolumeSnapshotClass. */
  volumeSnapshotClassName?: string
}

/** Source of a snapshot: exactly one of both fields. */
export interface VolumeSnapshotSource {
  /** Name of a PersistentVolumeClaim in the same namespace. */
  persistentVolumeClaimName?: string
  /** Name of a VolumeSnapshotContent that already exists. */
  volumeSnapshotContentName?: string
}

/** Observed state of a snapshot. */
export interface VolumeSnapshotStatus {
  /** Name of the VolumeSnapshotContent of the snapshot. */
  boundVolumeSnapshotContentName?: string
  /** Time at which the snapshot was taken. */
  creationTime?: Time
  /** True if volumes can be created from the snapshot. */
  readyToUse?: boolean
  /** Minimum size of a volume that is created from the snapshot. */
  restoreSize?: Quantity
  /** Last error. */
  error?: RawObject
  /** Name of the VolumeGroupSnapshot that the snapshot belongs to. */
  volumeGroupSnapshotName?: string
}
