import type { Condition } from '#apimachinery/meta/object-meta.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { RawObject } from '#api/scalars.ts'

/** Assigns requests to priority levels. */
export interface FlowSchema extends ApiObject {
  /** Requests and their priority level. */
  spec?: RawObject
  /** Observed state of the FlowSchema. */
  status?: FlowControlStatus
}

/** Limit on the number of concurrent requests of a priority level. */
export interface PriorityLevelConfiguration extends ApiObject {
  /** Type of the priority level and its limits. */
  spec?: RawObject
  /** Observed state of the PriorityLevelConfiguration. */
  status?: FlowControlStatus
}

/** Observed state of a FlowSchema or a PriorityLevelConfiguration. */
export interface FlowControlStatus {
  /**
   * Conditions of the object.
   * @listType map key=type
   * @patchStrategy merge key=type
   */
  conditions?: Condition[]
}
