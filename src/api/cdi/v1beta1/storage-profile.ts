import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { CdiCondition } from './cdi-condition.ts'

/** What claims of a storage class look like that disks of guests are in. */
export interface StorageProfile extends ApiObject {
  /** Wishes of the administrator. */
  spec: StorageProfileSpec
  /** What is used. */
  status?: StorageProfileStatus
}

/** Wishes of the administrator for a storage class. */
export interface StorageProfileSpec {
  /** How volumes are cloned: `copy`, `snapshot` or `csi-clone`. */
  cloneStrategy?: string
  /**
   * Access modes and volume mode of claims; the first is preferred.
   * @maxItems 8
   */
  claimPropertySets?: ClaimPropertySet[]
  /** How a DataImportCron keeps its imports: `pvc` or `snapshot`. */
  dataImportCronSourceFormat?: string
  /** Name of the VolumeSnapshotClass of clones. */
  snapshotClass?: string
}

/**
 * What is used for a storage class.
 * @preserveUnknownFields
 */
export interface StorageProfileStatus extends StorageProfileSpec {
  /** Name of the storage class. */
  storageClass?: string
  /** Name of its provisioner. */
  provisioner?: string
  /** Conditions of the profile: Recognized. */
  conditions?: CdiCondition[]
}

/** Access modes and volume mode of claims. */
export interface ClaimPropertySet {
  /**
   * Access modes.
   * @maxItems 4
   */
  accessModes: ClaimAccessMode[]
  /**
   * Volume mode.
   * @enum Block,Filesystem
   */
  volumeMode: string
}

/** Access mode of a claim. */
export type ClaimAccessMode = 'ReadWriteOnce' | 'ReadOnlyMany' | 'ReadWriteMany' | 'ReadWriteOncePod'
