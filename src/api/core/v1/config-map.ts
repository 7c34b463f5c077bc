import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Bytes } from '#api/scalars.ts'

/** Configuration for workloads, as key/value pairs. */
export interface ConfigMap extends ApiObject {
  /** True if all further changes of the data are forbidden. */
  immutable?: boolean
  /** Text values by key. */
  data?: Record<string, string>
  /** Binary values by key. The keys must not occur in `data`. */
  binaryData?: Record<string, Bytes>
}
