import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { RawObject } from '#api/scalars.ts'

/** Asks a pod, named by the metadata, to go. */
export interface Eviction extends ApiObject {
  /** Options of the deletion. */
  deleteOptions?: RawObject
}
