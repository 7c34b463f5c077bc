import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Time } from '#api/scalars.ts'

/** A scope for names, and the unit of deletion. */
export interface Namespace extends ApiObject {
  /** Desired state of the namespace. */
  spec?: NamespaceSpec
  /** Observed state of the namespace. */
  status?: NamespaceStatus
}

/** Desired state of a namespace. */
export interface NamespaceSpec {
  /**
   * Finalizers that block the removal of the namespace.
   * @listType atomic
   */
  finalizers?: string[]
}

/** Observed state of a namespace. */
export interface NamespaceStatus {
  /** Active, or Terminating while its content is being removed. */
  phase?: 'Active' | 'Terminating'
  /**
   * Reasons why the namespace is not removed.
   * @listType map key=type
   * @patchStrategy merge key=type
   */
  conditions?: NamespaceCondition[]
}

/** One aspect of the state of a namespace. */
export interface NamespaceCondition {
  /** Name of the aspect. */
  type: string
  /** True, False or Unknown. */
  status: 'True' | 'False' | 'Unknown'
  /** When the status last changed. */
  lastTransitionTime?: Time
  /** Why, in one word. */
  reason?: string
  /** Why, in a sentence. */
  message?: string
}
