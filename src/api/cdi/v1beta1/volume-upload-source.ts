import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { RawObject } from '#api/scalars.ts'

/** Content of claims that clients upload. Their `dataSourceRef` names it. */
export interface VolumeUploadSource extends ApiObject {
  /** Kind of the data. */
  spec: VolumeUploadSourceSpec
  /** Unused. */
  status?: RawObject
}

/** Kind of the data of a VolumeUploadSource. */
export interface VolumeUploadSourceSpec {
  /** Content type of the volume: `kubevirt` or `archive`. */
  contentType?: string
  /** True if the space of the volume is preallocated. */
  preallocation?: boolean
}
