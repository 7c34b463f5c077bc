import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import type { Int32, Int64, IntOrString, Time } from '#api/scalars.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { PodTemplateSpec } from '#api/core/v1/pod.ts'

/** Maintains pods that have their own names and volumes. */
export interface StatefulSet extends ApiObject {
  /** Desired state of the StatefulSet. */
  spec: StatefulSetSpec
  /** Observed state of the StatefulSet. */
  status?: StatefulSetStatus
}

/** Desired state of a StatefulSet. */
export interface StatefulSetSpec {
  /**
   * Desired number of pods.
   * @default 1
   */
  replicas?: Int32
  /** Label selector for the pods of the StatefulSet; immutable. */
  selector: LabelSelector
  /** Template of the pods. */
  template: PodTemplateSpec
  /**
   * Templates of the claims that are created for each pod.
   * @listType atomic
   */
  volumeClaimTemplates?: PersistentVolumeClaim[]
  /** Name of the Service that gives the pods their DNS names. */
  serviceName?: string
  /**
   * Policy for creating and deleting pods: OrderedReady or Parallel.
   * @default OrderedReady
   */
  podManagementPolicy?: string
  /**
   * Strategy for replacing old pods with new pods.
   * @default {"type":"RollingUpdate"}
   */
  updateStrategy?: StatefulSetUpdateStrategy
  /**
   * Number of old revisions to keep.
   * @default 10
   */
  revisionHistoryLimit?: Int32
  /** Seconds that a pod must be ready to count as available. */
  minReadySeconds?: Int32
  /** Retention policy of the claims of the pods. */
  persistentVolumeClaimRetentionPolicy?: StatefulSetPersistentVolumeClaimRetentionPolicy
  /** Numbering of the pods. */
  ordinals?: StatefulSetOrdinals
}

/** Strategy for replacing old pods with new pods. */
export interface StatefulSetUpdateStrategy {
  /**
   * Type of the strategy: RollingUpdate or OnDelete.
   * @default RollingUpdate
   */
  type?: string
  /** Settings of the RollingUpdate strategy. */
  rollingUpdate?: RollingUpdateStatefulSetStrategy
}

/** Settings of the RollingUpdate strategy. */
export interface RollingUpdateStatefulSetStrategy {
  /** Ordinal at which the update begins. Pods with a lower ordinal are not updated. */
  partition?: Int32
  /** Maximum number of unavailable pods, as number or percentage. */
  maxUnavailable?: IntOrString
}

/** Retention policy of the claims of the pods. */
export interface StatefulSetPersistentVolumeClaimRetentionPolicy {
  /** Policy when the StatefulSet is deleted: Retain or Delete. */
  whenDeleted?: string
  /** Policy when the StatefulSet is scaled down: Retain or Delete. */
  whenScaled?: string
}

/** Numbering of the pods. */
export interface StatefulSetOrdinals {
  /** Ordinal of the first pod. */
  start?: Int32
}

/** Observed state of a StatefulSet. */
export interface StatefulSetStatus {
  /** Generation of the spec that the status describes. */
  observedGeneration?: Int64
  /**
   * Number of pods.
   * @default 0
   */
  replicas: Int32
  /** Number of ready pods. */
  readyReplicas?: Int32
  /** Number of pods of the current revision. */
  currentReplicas?: Int32
  /** Number of pods of the update revision. */
  updatedReplicas?: Int32
  /** Name of the current revision. */
  currentRevision?: string
  /** Name of the update revision. */
  updateRevision?: string
  /** Number of collisions of the hash in the names of revisions. */
  collisionCount?: Int32
  /**
   * Conditions of the StatefulSet.
   * @listType map key=type
   * @patchStrategy merge key=type
   */
  conditions?: StatefulSetCondition[]
  /** Number of available pods. */
  availableReplicas?: Int32
}

/** Condition of a StatefulSet. */
export interface StatefulSetCondition {
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
