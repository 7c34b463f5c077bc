import type { TypedLocalObjectReference } from '#api/core/v1/references.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'

/** Volume that claims are copies of whose `dataSourceRef` names it. */
export interface VolumeCloneSource extends ApiObject {
  /** Source of the data. */
  spec: VolumeCloneSourceSpec
}

/** Source of the data of a VolumeCloneSource. */
export interface VolumeCloneSourceSpec {
  /** PersistentVolumeClaim or VolumeSnapshot. */
  source: TypedLocalObjectReference
  /** True if the space of the volume is preallocated. */
  preallocation?: boolean
  /** Name of the priority class of the pods that copy. */
  priorityClassName?: string
}
