import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import type { Int32, Int64, IntOrString, Time } from '#api/scalars.ts'
import type { PodTemplateSpec } from '#api/core/v1/pod.ts'

/** Keeps one pod on each node. */
export interface DaemonSet extends ApiObject {
  /** Desired state. */
  spec: DaemonSetSpec
  /** Observed state. */
  status?: DaemonSetStatus
}

/** Desired state of a DaemonSet. */
export interface DaemonSetSpec {
  /** The pods that belong to it; never changes. */
  selector: LabelSelector
  /** Template of the pods. */
  template: PodTemplateSpec
  /**
   * How old pods are replaced by new ones.
   * @default {"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":1,"maxSurge":0}}
   */
  updateStrategy?: DaemonSetUpdateStrategy
  /** Seconds that a pod must be ready to count as available. */
  minReadySeconds?: Int32
  /**
   * How many old revisions are kept.
   * @default 10
   */
  revisionHistoryLimit?: Int32
}

/** How old pods are replaced by new ones. */
export interface DaemonSetUpdateStrategy {
  /**
   * RollingUpdate or OnDelete.
   * @default RollingUpdate
   */
  type?: string
  /** Settings of RollingUpdate. */
  rollingUpdate?: RollingUpdateDaemonSet
}

/** Settings of RollingUpdate. */
export interface RollingUpdateDaemonSet {
  /**
   * How many pods may be missing, as number or percentage.
   * @default 1
   */
  maxUnavailable?: IntOrString
  /**
   * How many nodes may have two pods, as number or percentage.
   * @default 0
   */
  maxSurge?: IntOrString
}

/** Observed state of a DaemonSet. */
export interface DaemonSetStatus {
  /**
   * Nodes with a pod that should have one.
   * @default 0
   */
  currentNumberScheduled: Int32
  /**
   * Nodes with a pod that should have none.
   * @default 0
   */
  numberMisscheduled: Int32
  /**
   * Nodes that should have a pod.
   * @default 0
   */
  desiredNumberScheduled: Int32
  /**
   * Nodes with a ready pod.
   * @default 0
   */
  numberReady: Int32
  /** The generation of the spec that this is about. */
  observedGeneration?: Int64
  /** Nodes whose pod looks as wanted. */
  updatedNumberScheduled?: Int32
  /** Nodes with an available pod. */
  numberAvailable?: Int32
  /** Nodes that lack an available pod. */
  numberUnavailable?: Int32
  /** Counts collisions of the hash that names revisions. */
  collisionCount?: Int32
  /**
   * The state, by aspect.
   * @listType map key=type
   * @patchStrategy merge key=type
   */
  conditions?: DaemonSetCondition[]
}

/** One aspect of the state of a DaemonSet. */
export interface DaemonSetCondition {
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
