import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import type { Int32, Int64, Time } from '#api/scalars.ts'
import type { PodTemplateSpec } from '#api/core/v1/pod.ts'

/** Maintains a number of identical pods. */
export interface ReplicaSet extends ApiObject {
  /** Desired state of the ReplicaSet. */
  spec: ReplicaSetSpec
  /** Observed state of the ReplicaSet. */
  status?: ReplicaSetStatus
}

/** Desired state of a ReplicaSet. */
export interface ReplicaSetSpec {
  /**
   * Desired number of pods.
   * @default 1
   */
  replicas?: Int32
  /** Seconds that a pod must be ready to count as available. */
  minReadySeconds?: Int32
  /** Label selector for the pods of the ReplicaSet; immutable. */
  selector: LabelSelector
  /** Template of the pods. */
  template?: PodTemplateSpec
}

/** Observed state of a ReplicaSet. */
export interface ReplicaSetStatus {
  /**
   * Number of pods.
   * @default 0
   */
  replicas: Int32
  /** Number of pods with all labels of the template. */
  fullyLabeledReplicas?: Int32
  /** Number of ready pods. */
  readyReplicas?: Int32
  /** Number of available pods. */
  availableReplicas?: Int32
  /** Number of terminating pods. */
  terminatingReplicas?: Int32
  /** Generation of the spec that the status describes. */
  observedGeneration?: Int64
  /**
   * Conditions of the ReplicaSet.
   * @listType map key=type
   * @patchStrategy merge key=type
   */
  conditions?: ReplicaSetCondition[]
}

/** Condition of a ReplicaSet. */
export interface ReplicaSetCondition {
  /** Type of the condition: ReplicaFailure. */
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
