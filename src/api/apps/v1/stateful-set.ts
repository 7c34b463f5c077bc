import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import type { Int32, Int64, IntOrString, Time } from '#api/scalars.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { PodTemplateSpec } from '#api/core/v1/pod.ts'

/** Pods with names and volumes of their own. */
export interface StatefulSet extends ApiObject {
  /** Desired state. */
  spec: StatefulSetSpec
  /** Observed state. */
  status?: StatefulSetStatus
}

/** Desired state of a StatefulSet. */
export interface StatefulSetSpec {
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
   * Volumes that each pod gets.
   * @listType atomic
   */
  volumeClaimTemplates?: PersistentVolumeClaim[]
  /** Service that names the pods. */
  serviceName?: string
  /**
   * OrderedReady or Parallel.
   * @default OrderedReady
   */
  podManagementPolicy?: string
  /**
   * How old pods are replaced by new ones.
   * @default {"type":"RollingUpdate"}
   */
  updateStrategy?: StatefulSetUpdateStrategy
  /**
   * How many old revisions are kept.
   * @default 10
   */
  revisionHistoryLimit?: Int32
  /** Seconds that a pod must be ready to count as available. */
  minReadySeconds?: Int32
  /** Policy for the volumes. */
  persistentVolumeClaimRetentionPolicy?: StatefulSetPersistentVolumeClaimRetentionPolicy
  /** How the pods are numbered. */
  ordinals?: StatefulSetOrdinals
}

/** How old pods are replaced by new ones. */
export interface StatefulSetUpdateStrategy {
  /**
   * RollingUpdate or OnDelete.
   * @default RollingUpdate
   */
  type?: string
  /** Settings of RollingUpdate. */
  rollingUpdate?: RollingUpdateStatefulSetStrategy
}

/** Settings of RollingUpdate. */
export interface RollingUpdateStatefulSetStrategy {
  /** Pods with a lower number are left alone. */
  partition?: Int32
  /** How many pods may be missing, as number or percentage. */
  maxUnavailable?: IntOrString
}

/** Policy for the volumes. */
export interface StatefulSetPersistentVolumeClaimRetentionPolicy {
  /** Retain or Delete, when the set is deleted. */
  whenDeleted?: string
  /** Retain or Delete, when the set shrinks. */
  whenScaled?: string
}

/** How the pods are numbered. */
export interface StatefulSetOrdinals {
  /** The first number. */
  start?: Int32
}

/** Observed state of a StatefulSet. */
export interface StatefulSetStatus {
  /** The generation of the spec that this is about. */
  observedGeneration?: Int64
  /**
   * Pods.
   * @default 0
   */
  replicas: Int32
  /** Pods that are ready. */
  readyReplicas?: Int32
  /** Pods of the current revision. */
  currentReplicas?: Int32
  /** Pods of the update's revision. */
  updatedReplicas?: Int32
  /** Name of the current revision. */
  currentRevision?: string
  /** Name of the update's revision. */
  updateRevision?: string
  /** Counts collisions of the hash that names revisions. */
  collisionCount?: Int32
  /**
   * The state, by aspect.
   * @listType map key=type
   * @patchStrategy merge key=type
   */
  conditions?: StatefulSetCondition[]
  /** Pods that are available. */
  availableReplicas?: Int32
}

/** One aspect of the state of a StatefulSet. */
export interface StatefulSetCondition {
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
