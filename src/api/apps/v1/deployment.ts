import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import type { Int32, Int64, IntOrString, Time } from '#api/scalars.ts'
import type { PodTemplateSpec } from '#api/core/v1/pod.ts'

/** Keeps a number of equal pods running and rolls out changes of them. */
export interface Deployment extends ApiObject {
  /** Desired state. */
  spec: DeploymentSpec
  /** Observed state. */
  status?: DeploymentStatus
}

/** Desired state of a deployment. */
export interface DeploymentSpec {
  /**
   * How many pods.
   * @default 1
   */
  replicas?: Int32
  /** The pods that belong to it; never changes. */
  selector: LabelSelector
  /** Template of the pods. */
  template: PodTemplateSpec
  /**
   * How old pods are replaced by new ones.
   * @default {"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":"25%","maxSurge":"25%"}}
   * @patchStrategy retainKeys
   */
  strategy?: DeploymentStrategy
  /** Seconds that a pod must be ready to count as available. */
  minReadySeconds?: Int32
  /**
   * How many old ReplicaSets are kept.
   * @default 10
   */
  revisionHistoryLimit?: Int32
  /** Stops rolling out. */
  paused?: boolean
  /**
   * Seconds without progress after which the roll-out counts as failed.
   * @default 600
   */
  progressDeadlineSeconds?: Int32
}

/** How old pods are replaced by new ones. */
export interface DeploymentStrategy {
  /**
   * Recreate or RollingUpdate.
   * @default RollingUpdate
   */
  type?: string
  /** Settings of RollingUpdate. */
  rollingUpdate?: RollingUpdateDeployment
}

/** Settings of RollingUpdate. */
export interface RollingUpdateDeployment {
  /**
   * How many pods may be missing, as number or percentage.
   * @default 25%
   */
  maxUnavailable?: IntOrString
  /**
   * How many pods may be surplus, as number or percentage.
   * @default 25%
   */
  maxSurge?: IntOrString
}

/** Observed state of a deployment. */
export interface DeploymentStatus {
  /** The generation of the spec that this is about. */
  observedGeneration?: Int64
  /** Pods. */
  replicas?: Int32
  /** Pods that look as wanted. */
  updatedReplicas?: Int32
  /** Pods that are ready. */
  readyReplicas?: Int32
  /** Pods that are available. */
  availableReplicas?: Int32
  /** Pods that are missing. */
  unavailableReplicas?: Int32
  /** Pods that are going. */
  terminatingReplicas?: Int32
  /**
   * The state, by aspect.
   * @listType map key=type
   * @patchStrategy merge key=type
   */
  conditions?: DeploymentCondition[]
  /** Counts collisions of the hash that names ReplicaSets. */
  collisionCount?: Int32
}

/** One aspect of the state of a deployment. */
export interface DeploymentCondition {
  /** Name of the aspect: Available, Progressing, ReplicaFailure. */
  type: string
  /** True, False or Unknown. */
  status: 'True' | 'False' | 'Unknown'
  /** When it was last touched. */
  lastUpdateTime?: Time
  /** When the status last changed. */
  lastTransitionTime?: Time
  /** Why, in one word. */
  reason?: string
  /** Why, in a sentence. */
  message?: string
}
