import type { Condition } from '#apimachinery/meta/object-meta.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import type { Int32, Int64, IntOrString, Time } from '#api/scalars.ts'

/** Limits how many pods of a set may be evicted at a time. */
export interface PodDisruptionBudget extends ApiObject {
  /** Desired state. */
  spec?: PodDisruptionBudgetSpec
  /** Observed state. */
  status?: PodDisruptionBudgetStatus
}

/** Desired state of a budget. */
export interface PodDisruptionBudgetSpec {
  /** How many pods must stay, as number or percentage. */
  minAvailable?: IntOrString
  /**
   * Which pods.
   * @patchStrategy replace
   */
  selector?: LabelSelector
  /** How many pods may be missing, as number or percentage. */
  maxUnavailable?: IntOrString
  /** When pods that are not ready may be evicted: IfHealthyBudget or AlwaysAllow. */
  unhealthyPodEvictionPolicy?: string
}

/** Observed state of a budget. */
export interface PodDisruptionBudgetStatus {
  /** The generation of the spec that this is about. */
  observedGeneration?: Int64
  /** Pods that are being evicted, with the time of the eviction. */
  disruptedPods?: Record<string, Time>
  /**
   * How many pods may be evicted now.
   * @default 0
   */
  disruptionsAllowed: Int32
  /**
   * Healthy pods.
   * @default 0
   */
  currentHealthy: Int32
  /**
   * Pods that must stay healthy.
   * @default 0
   */
  desiredHealthy: Int32
  /**
   * Pods that count.
   * @default 0
   */
  expectedPods: Int32
  /**
   * The state, by aspect.
   * @listType map key=type
   * @patchStrategy merge key=type
   */
  conditions?: Condition[]
}
