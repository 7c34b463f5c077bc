import type { DataVolumeSpec } from './data-volume-spec.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Int32 } from '#api/scalars.ts'
import type { CdiCondition } from './cdi-condition.ts'

/** PersistentVolumeClaim and the source of its data. */
export interface DataVolume extends ApiObject {
  /** Storage and source of the volume. */
  spec: DataVolumeSpec
  /** Progress of the population of the volume. */
  status?: DataVolumeStatus
}

/**
 * Progress of the population of a volume.
 * @preserveUnknownFields
 */
export interface DataVolumeStatus {
  /** Name of the PersistentVolumeClaim. */
  claimName?: string
  /** Phase of the DataVolume, as one word. */
  phase?: string
  /** Progress of the population, in percent. */
  progress?: string
  /** Number of restarts of the pod that populates the volume. */
  restartCount?: Int32
  /** Conditions of the DataVolume: Bound, Running and Ready. */
  conditions?: CdiCondition[]
}
