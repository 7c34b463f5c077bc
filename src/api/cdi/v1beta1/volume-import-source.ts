import type { DataVolumeCheckpoint } from './data-volume-spec.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { RawObject } from '#api/scalars.ts'
import type { ImportSourceType } from './data-volume-source.ts'

/** Content of claims whose `dataSourceRef` names it. */
export interface VolumeImportSource extends ApiObject {
  /** Source of the data. */
  spec: VolumeImportSourceSpec
  /** Unused. */
  status?: RawObject
}

/** Source of the data of a VolumeImportSource. */
export interface VolumeImportSourceSpec {
  /** Source of the data. */
  source?: ImportSourceType
  /** True if the space of the volume is preallocated. */
  preallocation?: boolean
  /** Content type of the volume: `kubevirt` or `archive`. */
  contentType?: string
  /** Name of the only claim with this content, if the source is copied in several states. */
  targetClaim?: string
  /** States of the source that are copied one after the other. */
  checkpoints?: DataVolumeCheckpoint[]
  /** True if no more checkpoints follow. */
  finalCheckpoint?: boolean
}
