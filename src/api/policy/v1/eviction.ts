import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { RawObject } from '#api/scalars.ts'

/** Request to evict a pod. The metadata contains the name of the pod. */
export interface Eviction extends ApiObject {
  /** Options of the deletion. */
  deleteOptions?: RawObject
}
