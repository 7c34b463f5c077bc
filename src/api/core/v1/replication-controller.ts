import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Int32, Int64, Time } from '#api/scalars.ts'
import type { PodTemplateSpec } from './pod.ts'

/** Maintains a number of pods. Predecessor of the ReplicaSet. */
export interface ReplicationController extends ApiObject {
  /** Desired state of the replication controller. */
  spec?: ReplicationControllerSpec
  /** Observed state of the replication controller. */
  status?: ReplicationControllerStatus
}

/** Desired state of a replication controller. */
export interface ReplicationControllerSpec {
  /**
   * Desired number of pods.
   * @default 1
   */
  replicas?: Int32
  /** Seconds that a pod must be ready to count as available. */
  minReadySeconds?: Int32
  /**
   * Labels of the pods of the replication controller.
   * @mapType atomic
   */
  selector?: Record<string, string>
  /** Template of the pods. */
  template?: PodTemplateSpec
}

/** Observed state of a replication controller. */
export interface ReplicationControllerStatus {
  /**
   * Number of pods.
   * @default 0
   */
  replicas: Int32
  /** Number of pods with all labels of the template. */
  fullyLabeledReplicas?: Int32
  /** Number of ready pods. */
  readyReplicas?: Int32
  /** Number of pods that have been ready for at least minReadySeconds. */
  availableReplicas?: Int32
  /** Generation of the spec that the status describes. */
  observedGeneration?: Int64
  /**
   * Conditions of the replication controller.
   * @listType map key=type
   * @patchStrategy merge key=type
   */
  conditions?: ReplicationControllerCondition[]
}

/** Condition of a replication controller. */
export interface ReplicationControllerCondition {
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

/** Template of pods, as a separate object. */
export interface PodTemplate extends ApiObject {
  /** Template of the pods. */
  template?: PodTemplateSpec
}
