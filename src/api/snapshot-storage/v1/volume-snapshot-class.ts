import type { ApiObject } from '#api/meta/v1/api-object.ts'

/** How a CSI driver takes snapshots. */
export interface VolumeSnapshotClass extends ApiObject {
  /** Name of the CSI driver. */
  driver: string
  /** Whether the snapshot of the driver goes with its object: Delete or Retain. */
  deletionPolicy: string
  /** Parameters of the driver. */
  parameters?: Record<string, string>
}
