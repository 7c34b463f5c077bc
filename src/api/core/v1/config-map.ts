import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Bytes } from '#api/scalars.ts'

/** Configuration for workloads, as key/value pairs. */
export interface ConfigMap extends ApiObject {
  /** True forbids every further change of the data. */
  immutable?: boolean
  /** Text by key. */
  data?: Record<string, string>
  /** Binary data by key; keys must not occur in `data`. */
  binaryData?: Record<string, Bytes>
}
