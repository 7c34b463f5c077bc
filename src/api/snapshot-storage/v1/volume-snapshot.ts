import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Quantity, RawObject, Time } from '#api/scalars.ts'

/** A claim as it was at one moment. */
export interface VolumeSnapshot extends ApiObject {
  /** What is wanted. */
  spec: VolumeSnapshotSpec
  /** What is known of it. */
  status?: VolumeSnapshotStatus
}

/** What is wanted of a snapshot. */
export interface VolumeSnapshotSpec {
  /** What it is taken of. */
  source: VolumeSnapshotSource
  /** Name of the class. */
  volumeSnapshotClassName?: string
}

/** What a snapshot is taken of: one of both. */
export interface VolumeSnapshotSource {
  /** A claim in the same namespace. */
  persistentVolumeClaimName?: string
  /** Content that was there before. */
  volumeSnapshotContentName?: string
}

/** What is known of a snapshot. */
export interface VolumeSnapshotStatus {
  /** Name of its content. */
  boundVolumeSnapshotContentName?: string
  /** The moment. */
  creationTime?: Time
  /** Whether volumes can be made from it. */
  readyToUse?: boolean
  /** Size that a volume must have at least. */
  restoreSize?: Quantity
  /** What went wrong last. */
  error?: RawObject
  /** Name of the snapshot of a group that it is part of. */
  volumeGroupSnapshotName?: string
}
