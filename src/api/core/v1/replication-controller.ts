import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Int32, Int64, Time } from '#api/scalars.ts'
import type { PodTemplateSpec } from './pod.ts'

/** Keeps a number of pods. The older form of a ReplicaSet. */
export interface ReplicationController extends ApiObject {
  /** Desired state. */
  spec?: ReplicationControllerSpec
  /** Observed state. */
  status?: ReplicationControllerStatus
}

/** Desired state of a replication controller. */
export interface ReplicationControllerSpec {
  /**
   * How many pods.
   * @default 1
   */
  replicas?: Int32
  /** Seconds that a pod must be ready to count. */
  minReadySeconds?: Int32
  /**
   * Labels of its pods.
   * @mapType atomic
   */
  selector?: Record<string, string>
  /** Template of the pods. */
  template?: PodTemplateSpec
}

/** Observed state of a replication controller. */
export interface ReplicationControllerStatus {
  /**
   * Pods.
   * @default 0
   */
  replicas: Int32
  /** Pods with all labels of the template. */
  fullyLabeledReplicas?: Int32
  /** Ready pods. */
  readyReplicas?: Int32
  /** Pods that are ready for long enough. */
  availableReplicas?: Int32
  /** The generation of the spec that this is about. */
  observedGeneration?: Int64
  /**
   * The state, by aspect.
   * @listType map key=type
   * @patchStrategy merge key=type
   */
  conditions?: ReplicationControllerCondition[]
}

/** The state in one aspect. */
export interface ReplicationControllerCondition {
  /** The aspect. */
  type: string
  /** True, False or Unknown. */
  status: string
  /** When it changed. */
  lastTransitionTime?: Time
  /** Why, in one word. */
  reason?: string
  /** Why, in a sentence. */
  message?: string
}

/** A template for pods, on its own. */
export interface PodTemplate extends ApiObject {
  /** The template. */
  template?: PodTemplateSpec
}
