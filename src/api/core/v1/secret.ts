import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Bytes } from '#api/scalars.ts'

/** Confidential data for workloads. */
export interface Secret extends ApiObject {
  /** True forbids every further change of the data. */
  immutable?: boolean
  /** Values by key, as base64. */
  data?: Record<string, Bytes>
  /** Values by key as plain text; merged into `data` when written and never read back. */
  stringData?: Record<string, string>
  /**
   * Type of the secret; immutable.
   * @default Opaque
   */
  type?: string
}
