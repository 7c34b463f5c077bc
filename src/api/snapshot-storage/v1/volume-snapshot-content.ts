import type { ApiObject } from '#api/meta/v1/api-object.ts'

/** The snapshot of a driver behind a VolumeSnapshot. */
export interface VolumeSnapshotContent extends ApiObject {
  /** What a driver knows it by. */
  spec: VolumeSnapshotContentSpec
}

/** What a driver knows a snapshot by. */
export interface VolumeSnapshotContentSpec {
  /** Name of the CSI driver. */
  driver: string
  /** Whether the snapshot of the driver goes with its object: Delete or Retain. */
  deletionPolicy: string
  /** Volume mode of the volume that the snapshot was taken of. */
  sourceVolumeMode?: string
}
