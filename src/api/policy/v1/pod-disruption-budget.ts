import type { Condition } from '#apimachinery/meta/object-meta.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import type { Int32, Int64, IntOrString, Time } from '#api/scalars.ts'

/** Limit on the number of pods of a set that may be evicted at the same time. */
export interface PodDisruptionBudget extends ApiObject {
  /** Desired state of the budget. */
  spec?: PodDisruptionBudgetSpec
  /** Observed state of the budget. */
  status?: PodDisruptionBudgetStatus
}

/** Desired state of a budget. */
export interface PodDisruptionBudgetSpec {
  /** Number of pods that must remain available, as number or percentage. */
  minAvailable?: IntOrString
  /**
   * Label selector for the pods of the budget.
   * @patchStrategy replace
   */
  selector?: LabelSelector
  /** Number of pods that may be unavailable, as number or percentage. */
  maxUnavailable?: IntOrString
  /** Policy for evicting pods that are not ready: IfHealthyBudget or AlwaysAllow. */
  unhealthyPodEvictionPolicy?: string
}

/** Observed state of a budget. */
export interface PodDisruptionBudgetStatus {
  /** Generation of the spec that the status describes. */
  observedGeneration?: Int64
  /** Pods that are being evicted, with the time of the eviction. */
  disruptedPods?: Record<string, Time>
  /**
   * Number of pods that may currently be evicted.
   * @default 0
   */
  disruptionsAllowed: Int32
  /**
   * Number of healthy pods.
   * @default 0
   */
  currentHealthy: Int32
  /**
   * Number of pods that must remain healthy.
   * @default 0
   */
  desiredHealthy: Int32
  /**
   * Number of pods that the budget counts.
   * @default 0
   */
  expectedPods: Int32
  /**
   * Conditions of the budget.
   * @listType map key=type
   * @patchStrategy merge key=type
   */
  conditions?: Condition[]
}
