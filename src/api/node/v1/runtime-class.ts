import type { Toleration } from '#api/core/v1/affinity.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Quantity } from '#api/scalars.ts'

/** A way to run containers. */
export interface RuntimeClass extends ApiObject {
  /** Name of the handler on the node. */
  handler: string
  /** Additional resources of each pod. */
  overhead?: Overhead
  /** Where such pods can run. */
  scheduling?: Scheduling
}

/** Resources of each pod beyond those of its containers. */
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
