import type { ObjectMeta } from '#apimachinery/meta/object-meta.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import type { Int32, Time } from '#api/scalars.ts'
import type { PodTemplateSpec } from '#api/core/v1/pod.ts'

/** Runs pods until enough of them have succeeded. */
export interface Job extends ApiObject {
  /** Desired state. */
  spec: JobSpec
  /** Observed state. */
  status?: JobStatus
}

/** Template of the Jobs of a CronJob. */
export interface JobTemplateSpec {
  /** Labels and annotations of the Jobs. */
  metadata?: ObjectMeta
  /** Spec of the Jobs. */
  spec: JobSpec
}

/** Desired state of a Job. */
export interface JobSpec {
  /** Most pods that run at once. */
  parallelism?: Int32
  /**
   * Pods that must succeed. Without it, one that succeeds ends the Job as soon as no other runs.
   */
  completions?: Int32
  /** Seconds after which the Job is ended as failed. */
  activeDeadlineSeconds?: Int32
  /** Which failures of pods count, and which end the Job. */
  podFailurePolicy?: PodFailurePolicy
  /** Which pods are enough for success. */
  successPolicy?: SuccessPolicy
  /** Failures of pods that are borne. */
  backoffLimit?: Int32
  /** Failures of pods that are borne for each index. */
  backoffLimitPerIndex?: Int32
  /** Indexes that may fail before the Job does. */
  maxFailedIndexes?: Int32
  /** The pods that belong to it; made by the server. */
  selector?: LabelSelector
  /** Whether the selector is the user's own. */
  manualSelector?: boolean
  /** Template of the pods. */
  template: PodTemplateSpec
  /** Seconds after its end when the Job is deleted. */
  ttlSecondsAfterFinished?: Int32
  /**
   * NonIndexed, or Indexed: then each pod has a number of its own.
   * @default NonIndexed
   */
  completionMode?: string
  /**
   * Runs no pods for now.
   * @default false
   */
  suspend?: boolean
  /** TerminatingOrFailed or Failed: when a pod is replaced. */
  podReplacementPolicy?: string
  /** Controller that manages the Job, if not the built-in one. */
  managedBy?: string
}

/** Which failures of pods count, and which end the Job. */
export interface PodFailurePolicy {
  /**
   * The first that matches decides.
   * @listType atomic
   */
  rules: PodFailurePolicyRule[]
}

/** Action about failures of one sort. */
export interface PodFailurePolicyRule {
  /** FailJob, FailIndex, Ignore or Count. */
  action: string
  /** By the exit code of a container. */
  onExitCodes?: PodFailurePolicyOnExitCodesRequirement
  /**
   * By conditions of the pod.
   * @listType atomic
   */
  onPodConditions?: PodFailurePolicyOnPodConditionsPattern[]
}

/** Exit codes of containers. */
export interface PodFailurePolicyOnExitCodesRequirement {
  /** Only this container. */
  containerName?: string
  /** In or NotIn. */
  operator: string
  /**
   * The codes.
   * @listType set
   */
  values: Int32[]
}

/** A condition of a pod. */
export interface PodFailurePolicyOnPodConditionsPattern {
  /** Its type. */
  type: string
  /** True, False or Unknown. */
  status: string
}

/** Which pods are enough for success. */
export interface SuccessPolicy {
  /**
   * Any one is enough.
   * @listType atomic
   */
  rules: SuccessPolicyRule[]
}

/** Pods that are enough for success. */
export interface SuccessPolicyRule {
  /** Indexes, as `1,3-5`. */
  succeededIndexes?: string
  /** How many of them. */
  succeededCount?: Int32
}

/** Observed state of a Job. */
export interface JobStatus {
  /**
   * The state, by aspect.
   * @listType atomic
   * @patchStrategy merge key=type
   */
  conditions?: JobCondition[]
  /** When it was begun, or resumed. */
  startTime?: Time
  /** When it succeeded. */
  completionTime?: Time
  /** Pods that run or wait. */
  active?: Int32
  /** Pods that have succeeded. */
  succeeded?: Int32
  /** Pods that have failed. */
  failed?: Int32
  /** Pods that are going. */
  terminating?: Int32
  /** Indexes that have succeeded, as `1,3-5`. */
  completedIndexes?: string
  /** Indexes that have failed, as `1,3-5`. */
  failedIndexes?: string
  /** Pods that have ended and are not counted yet. */
  uncountedTerminatedPods?: UncountedTerminatedPods
  /** Pods that are ready. */
  ready?: Int32
}

/** Uids of pods that have ended, between being seen and being counted. */
export interface UncountedTerminatedPods {
  /**
   * Those that succeeded.
   * @listType set
   */
  succeeded?: string[]
  /**
   * Those that failed.
   * @listType set
   */
  failed?: string[]
}

/** One aspect of the state of a Job. */
export interface JobCondition {
  /** Name of the aspect: Complete, Failed, Suspended, FailureTarget, SuccessCriteriaMet. */
  type: string
  /** True, False or Unknown. */
  status: 'True' | 'False' | 'Unknown'
  /** When it was last looked at. */
  lastProbeTime?: Time
  /** When the status last changed. */
  lastTransitionTime?: Time
  /** Why, in one word. */
  reason?: string
  /** Why, in a sentence. */
  message?: string
}
