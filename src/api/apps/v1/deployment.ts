import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import type { Int32, Int64, IntOrString, Time } from '#api/scalars.ts'
import type { PodTemplateSpec } from '#api/core/v1/pod.ts'

/** Maintains a number of identical pods and rolls out changes of the pods. */
export interface Deployment extends ApiObject {
  /** Desired state of the Deployment. */
  spec: DeploymentSpec
  /** Observed state of the Deployment. */
  status?: DeploymentStatus
}

/** Desired state of a deployment. */
export interface DeploymentSpec {
  /**
   * Desired number of pods.
   * @default 1
   */
  replicas?: Int32
  /** Label selector for the pods of the Deployment; immutable. */
  selector: LabelSelector
  /** Template of the pods. */
  template: PodTemplateSpec
  /**
   * Strategy for replacing old pods with new pods.
   * @default {"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":"25%","maxSurge":"25%"}}
   * @patchStrategy retainKeys
   */
  strategy?: DeploymentStrategy
  /** Seconds that a pod must be ready to count as available. */
  minReadySeconds?: Int32
  /**
   * Number of old ReplicaSets to keep.
   * @default 10
   */
  revisionHistoryLimit?: Int32
  /** True if roll-outs are paused. */
  paused?: boolean
  /**
   * Seconds without progress after which the roll-out counts as failed.
   * @default 600
   */
  progressDeadlineSeconds?: Int32
}

/** Strategy for replacing old pods with new pods. */
export interface DeploymentStrategy {
  /**
   * Type of the strategy: Recreate or RollingUpdate.
   * @default RollingUpdate
   */
  type?: string
  /** Settings of the RollingUpdate strategy. */
  rollingUpdate?: RollingUpdateDeployment
}

/** Settings of the RollingUpdate strategy. */
export interface RollingUpdateDeployment {
  /**
   * Maximum number of unavailable pods, as number or percentage.
   * @default 25%
   */
  maxUnavailable?: IntOrString
  /**
   * Maximum number of pods above the desired number, as number or percentage.
   * @default 25%
   */
  maxSurge?: IntOrString
}

/** Observed state of a deployment. */
export interface DeploymentStatus {
  /** Generation of the spec that the status describes. */
  observedGeneration?: Int64
  /** Number of pods. */
  replicas?: Int32
  /** Number of pods of the current template. */
  updatedReplicas?: Int32
  /** Number of ready pods. */
  readyReplicas?: Int32
  /** Number of available pods. */
  availableReplicas?: Int32
  /** Number of pods that are not available or not created yet. */
  unavailableReplicas?: Int32
  /** Number of terminating pods. */
  terminatingReplicas?: Int32
  /**
   * Conditions of the Deployment.
   * @listType map key=type
   * @patchStrategy merge key=type
   */
  conditions?: DeploymentCondition[]
  /** Number of collisions of the hash in the names of ReplicaSets. */
  collisionCount?: Int32
}

/** Condition of a deployment. */
export interface DeploymentCondition {
  /** Type of the condition: Available, Progressing, ReplicaFailure. */
  type: string
  /** Status of the condition: True, False or Unknown. */
  status: string
  /** Time of the last update of the condition. */
  lastUpdateTime?: Time
  /** Time of the last transition of the status. */
  lastTransitionTime?: Time
  /** Reason of the last transition, as one CamelCase word. */
  reason?: string
  /** Human-readable explanation of the last transition. */
  message?: string
}
