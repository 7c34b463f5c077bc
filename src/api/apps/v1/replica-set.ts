import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import type { Int32, Int64, Time } from '#api/scalars.ts'
import type { PodTemplateSpec } from '#api/core/v1/pod.ts'

/** Keeps a number of equal pods running. */
export interface ReplicaSet extends ApiObject {
  /** Desired state. */
  spec: ReplicaSetSpec
  /** Observed state. */
  status?: ReplicaSetStatus
}

/** Desired state of a ReplicaSet. */
export interface ReplicaSetSpec {
  /**
   * How many pods.
   * @default 1
   */
  replicas?: Int32
  /** Seconds that a pod must be ready to count as available. */
  minReadySeconds?: Int32
  /** The pods that belong to it; never changes. */
  selector: LabelSelector
  /** Template of the pods. */
  template?: PodTemplateSpec
}

/** Observed state of a ReplicaSet. */
export interface ReplicaSetStatus {
  /**
   * Pods.
   * @default 0
   */
  replicas: Int32
  /** Pods with all labels of the template. */
  fullyLabeledReplicas?: Int32
  /** Pods that are ready. */
  readyReplicas?: Int32
  /** Pods that are available. */
  availableReplicas?: Int32
  /** Pods that are going. */
  terminatingReplicas?: Int32
  /** The generation of the spec that this is about. */
  observedGeneration?: Int64
  /**
   * The state, by aspect.
   * @listType map key=type
   * @patchStrategy merge key=type
   */
  conditions?: ReplicaSetCondition[]
}

/** One aspect of the state of a ReplicaSet. */
export interface ReplicaSetCondition {
  /** Name of the aspect: ReplicaFailure. */
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
