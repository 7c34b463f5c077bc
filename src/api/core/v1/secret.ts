import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Bytes } from '#api/scalars.ts'

/** Confidential data for workloads. */
export interface Secret extends ApiObject {
  /** True if all further changes of the data are forbidden. */
  immutable?: boolean
  /** Values by key, encoded as base64. */
  data?: Record<string, Bytes>
  /**
   * Values by key as plain text. The values are merged into `data` on writes and never returned on
   * reads.
   */
  stringData?: Record<string, string>
  /**
   * Type of the Secret; immutable.
   * @default Opaque
   */
  type?: string
}
