import type { PersistentVolumeClaimSpec } from '#api/core/v1/persistent-volume-claim.ts'
import type { DataVolumeSource } from './data-volume-source.ts'

/**
 * Storage and source of a DataVolume.
 * @preserveUnknownFields
 */
export interface DataVolumeSpec {
  /** Source of the data. */
  source?: DataVolumeSource
  /** Reference to the source of the data. */
  sourceRef?: DataVolumeSourceRef
  /** PersistentVolumeClaim of the volume. */
  pvc?: PersistentVolumeClaimSpec
  /** PersistentVolumeClaim with defaults from the StorageProfile. */
  storage?: StorageSpec
  /** Name of the priority class of the pods that populate the volume. */
  priorityClassName?: string
  /** Name of the service account of the pods that populate the volume. */
  serviceAccountName?: string
  /**
   * Content type of the volume.
   * @enum kubevirt,archive
   */
  contentType?: string
  /** States of the source that are copied one after the other. */
  checkpoints?: DataVolumeCheckpoint[]
  /** True if no more checkpoints follow. */
  finalCheckpoint?: boolean
  /** True if the space of the volume is preallocated. */
  preallocation?: boolean
}

/** State of a source that is copied after another one. */
export interface DataVolumeCheckpoint {
  /** Identifier of the state before; empty for the first one. */
  previous: string
  /** Identifier of the state that is copied. */
  current: string
}

/** Reference to the source of the data of a DataVolume. */
export interface DataVolumeSourceRef {
  /** Kind of the object: DataSource. */
  kind: string
  /** Namespace of the object. */
  namespace?: string
  /** Name of the object. */
  name: string
}

/**
 * PersistentVolumeClaim with defaults from the StorageProfile.
 * @preserveUnknownFields
 */
export interface StorageSpec extends PersistentVolumeClaimSpec {}
