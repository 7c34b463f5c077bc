import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import type { Int32, Int64, IntOrString, Time } from '#api/scalars.ts'
import type { PodTemplateSpec } from '#api/core/v1/pod.ts'

/** Maintains one pod on each node. */
export interface DaemonSet extends ApiObject {
  /** Desired state of the DaemonSet. */
  spec: DaemonSetSpec
  /** Observed state of the DaemonSet. */
  status?: DaemonSetStatus
}

/** Desired state of a DaemonSet. */
export interface DaemonSetSpec {
  /** Label selector for the pods of the DaemonSet; immutable. */
  selector: LabelSelector
  /** Template of the pods. */
  template: PodTemplateSpec
  /**
   * Strategy for replacing old pods with new pods.
   * @default {"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":1,"maxSurge":0}}
   */
  updateStrategy?: DaemonSetUpdateStrategy
  /** Seconds that a pod must be ready to count as available. */
  minReadySeconds?: Int32
  /**
   * Number of old revisions to keep.
   * @default 10
   */
  revisionHistoryLimit?: Int32
}

/** Strategy for replacing old pods with new pods. */
export interface DaemonSetUpdateStrategy {
  /**
   * Type of the strategy: RollingUpdate or OnDelete.
   * @default RollingUpdate
   */
  type?: string
  /** Settings of the RollingUpdate strategy. */
  rollingUpdate?: RollingUpdateDaemonSet
}

/** Settings of the RollingUpdate strategy. */
export interface RollingUpdateDaemonSet {
  /**
   * Maximum number of unavailable pods, as number or percentage.
   * @default 1
   */
  maxUnavailable?: IntOrString
  /**
   * Maximum number of nodes with two pods, as number or percentage.
   * @default 0
   */
  maxSurge?: IntOrString
}

/** Observed state of a DaemonSet. */
export interface DaemonSetStatus {
  /**
   * Number of nodes with a pod, among the nodes that should have a pod.
   * @default 0
   */
  currentNumberScheduled: Int32
  /**
   * Number of nodes with a pod, among the nodes that should have no pod.
   * @default 0
   */
  numberMisscheduled: Int32
  /**
   * Number of nodes that should have a pod.
   * @default 0
   */
  desiredNumberScheduled: Int32
  /**
   * Number of nodes with a ready pod.
   * @default 0
   */
  numberReady: Int32
  /** Generation of the spec that the status describes. */
  observedGeneration?: Int64
  /** Number of nodes with a pod of the current template. */
  updatedNumberScheduled?: Int32
  /** Number of nodes with an available pod. */
  numberAvailable?: Int32
  /** Number of nodes without an available pod, among the nodes that should have a pod. */
  numberUnavailable?: Int32
  /** Number of collisions of the hash in the names of revisions. */
  collisionCount?: Int32
  /**
   * Conditions of the DaemonSet.
   * @listType map key=type
   * @patchStrategy merge key=type
   */
  conditions?: DaemonSetCondition[]
}

/** Condition of a DaemonSet. */
export interface DaemonSetCondition {
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
