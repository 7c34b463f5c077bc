import type { Toleration } from '#api/core/v1/affinity.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Quantity } from '#api/scalars.ts'

/** A way to run containers. */
export interface RuntimeClass extends ApiObject {
  /** What the node calls it. */
  handler: string
  /** What each pod costs more. */
  overhead?: Overhead
  /** Where such pods can run. */
  scheduling?: Scheduling
}

/** What each pod costs more than its containers. */
export interface Overhead {
  /** By resource. */
  podFixed?: Record<string, Quantity>
}

/** Where pods of a class can run. */
export interface Scheduling {
  /**
   * Labels that a node must have.
   * @mapType atomic
   */
  nodeSelector?: Record<string, string>
  /**
   * Taints that pods bear.
   * @listType atomic
   */
  tolerations?: Toleration[]
}
