import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Int64, RawObject } from '#api/scalars.ts'

/** A copy of some state at one moment; the data never changes. */
export interface ControllerRevision extends ApiObject {
  /** The copy: any JSON object. */
  data?: RawObject
  /**
   * Number of the copy within its series.
   * @default 0
   */
  revision: Int64
}
