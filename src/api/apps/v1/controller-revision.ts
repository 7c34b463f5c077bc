import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Int64, RawObject } from '#api/scalars.ts'

/** Copy of some state at one point in time. The data is immutable. */
export interface ControllerRevision extends ApiObject {
  /** State, as any JSON object. */
  data?: RawObject
  /**
   * Revision number within the series of copies.
   * @default 0
   */
  revision: Int64
}
