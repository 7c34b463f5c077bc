import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Time } from '#api/scalars.ts'

/** A scope for names, and the unit of deletion. */
export interface Namespace extends ApiObject {
  /** What is wanted of the namespace. */
  spec?: NamespaceSpec
  /** What is known of the namespace. */
  status?: NamespaceStatus
}

/** What is wanted of a namespace. */
export interface NamespaceSpec {
  /**
   * Who must agree before the namespace may vanish.
   * @listType atomic
   */
  finalizers?: string[]
}

/** What is known of a namespace. */
export interface NamespaceStatus {
  /** Active, or Terminating while its content is being removed. */
  phase?: 'Active' | 'Terminating'
  /**
   * What keeps the namespace from vanishing.
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
