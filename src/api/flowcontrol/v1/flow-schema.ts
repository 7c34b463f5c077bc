import type { Condition } from '#apimachinery/meta/object-meta.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { RawObject } from '#api/scalars.ts'

/** Sorts requests into levels of priority. */
export interface FlowSchema extends ApiObject {
  /** Which requests, and which level. */
  spec?: RawObject
  /** Observed state. */
  status?: FlowControlStatus
}

/** How many requests of a level may run at a time. */
export interface PriorityLevelConfiguration extends ApiObject {
  /** Type of the level and its limits. */
  spec?: RawObject
  /** Observed state. */
  status?: FlowControlStatus
}

/** Observed state of a schema or a level. */
export interface FlowControlStatus {
  /**
   * The state, by aspect.
   * @listType map key=type
   * @patchStrategy merge key=type
   */
  conditions?: Condition[]
}
