import type { Toleration } from '#api/core/v1/affinity.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Quantity } from '#api/scalars.ts'

/** Class of pods that run with the same container runtime. */
export interface RuntimeClass extends ApiObject {
  /** Name of the runtime handler on the node. */
  handler: string
  /** Additional resources of each pod. */
  overhead?: Overhead
  /** Scheduling constraints of the pods of the class. */
  scheduling?: Scheduling
}

/** Resources of each pod beyond those of its containers. */
export interface Overhead {
  /** Amount of each resource. */
  podFixed?: Record<string, Quantity>
}

/** Scheduling constraints of the pods of a class. */
export interface Scheduling {
  /**
   * Labels that a node must have.
   * @mapType atomic
   */
  nodeSelector?: Record<string, string>
  /**
   * Taints that the pods tolerate.
   * @listType atomic
   */
  tolerations?: Toleration[]
}
