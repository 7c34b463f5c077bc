import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Quantity, RawObject, Time } from '#api/scalars.ts'

/** A claim as it was at one moment. */
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
  /** Name of the class. */
  volumeSnapshotClassName?: string
}

/** Source of a snapshot: one of both. */
export interface VolumeSnapshotSource {
  /** A claim in the same namespace. */
  persistentVolumeClaimName?: string
  /** Content that was there before. */
  volumeSnapshotContentName?: string
}

/** Observed state of a snapshot. */
export interface VolumeSnapshotStatus {
  /** Name of its content. */
  boundVolumeSnapshotContentName?: string
  /** The moment. */
  creationTime?: Time
  /** Whether volumes can be made from it. */
  readyToUse?: boolean
  /** Size that a volume must have at least. */
  restoreSize?: Quantity
  /** Last error. */
  error?: RawObject
  /** Name of the snapshot of a group that it is part of. */
  volumeGroupSnapshotName?: string
}
