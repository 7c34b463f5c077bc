import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Time } from '#api/scalars.ts'

/** Scope of the names of objects. Deleting a namespace deletes all objects in the namespace. */
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
  /** Phase of the namespace: Active, or Terminating while the content is being removed. */
  phase?: 'Active' | 'Terminating'
  /**
   * Conditions of the namespace: reasons for not removing the namespace yet.
   * @listType map key=type
   * @patchStrategy merge key=type
   */
  conditions?: NamespaceCondition[]
}

/** Condition of a namespace. */
export interface NamespaceCondition {
  /** Type of the condition. */
  type: string
  /** Status of the condition: True, False or Unknown. */
  status: string
  /** Time of the last transition of the status. */
  lastTransitionTime?: Time
  /** Reason of the last transition, as one CamelCase word. */
  reason?: string
  /** Human-readable explanation of the last transition. */
  message?: string
}
