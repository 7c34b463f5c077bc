import type { ObjectMeta } from '#apimachinery/meta/object-meta.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import type { Int32, Time } from '#api/scalars.ts'
import type { PodTemplateSpec } from '#api/core/v1/pod.ts'

/** Runs pods until the required number of pods has succeeded. */
export interface Job extends ApiObject {
  /** Desired state of the Job. */
  spec: JobSpec
  /** Observed state of the Job. */
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
  /** Maximum number of pods that run at the same time. */
  parallelism?: Int32
  /**
   * Number of pods that must succeed. When absent, the success of one pod completes the Job as soon
   * as no other pod runs.
   */
  completions?: Int32
  /** Seconds after which the Job is stopped and marked as failed. */
  activeDeadlineSeconds?: Int32
  /** Policy that determines which pod failures count and which pod failures fail the Job. */
  podFailurePolicy?: PodFailurePolicy
  /** Policy that determines which pods are sufficient for the success of the Job. */
  successPolicy?: SuccessPolicy
  /** Number of pod failures that are tolerated. */
  backoffLimit?: Int32
  /** Number of pod failures that are tolerated for each index. */
  backoffLimitPerIndex?: Int32
  /** Number of indexes that may fail before the Job fails. */
  maxFailedIndexes?: Int32
  /** Label selector for the pods of the Job; set by the server. */
  selector?: LabelSelector
  /** True if the selector is set by the user. */
  manualSelector?: boolean
  /** Template of the pods. */
  template: PodTemplateSpec
  /** Seconds between the end of the Job and its deletion. */
  ttlSecondsAfterFinished?: Int32
  /**
   * Completion mode: NonIndexed, or Indexed, in which each pod has its own index.
   * @default NonIndexed
   */
  completionMode?: string
  /**
   * True if the Job is suspended and runs no pods.
   * @default false
   */
  suspend?: boolean
  /** State in which a pod is replaced: TerminatingOrFailed or Failed. */
  podReplacementPolicy?: string
  /** Name of the controller that manages the Job, if not the built-in controller. */
  managedBy?: string
}

/** Policy that determines which pod failures count and which pod failures fail the Job. */
export interface PodFailurePolicy {
  /**
   * Rules of the policy. The first rule that matches applies.
   * @listType atomic
   */
  rules: PodFailurePolicyRule[]
}

/** Action for one kind of pod failure. */
export interface PodFailurePolicyRule {
  /** Action: FailJob, FailIndex, Ignore or Count. */
  action: string
  /** Requirement on the exit code of a container. */
  onExitCodes?: PodFailurePolicyOnExitCodesRequirement
  /**
   * Conditions of the pod to match.
   * @listType atomic
   */
  onPodConditions?: PodFailurePolicyOnPodConditionsPattern[]
}

/** Requirement on the exit codes of containers. */
export interface PodFailurePolicyOnExitCodesRequirement {
  /** Name of the only container to check. */
  containerName?: string
  /** Comparison operator: In or NotIn. */
  operator: string
  /**
   * Exit codes to compare with.
   * @listType set
   */
  values: Int32[]
}

/** Condition of a pod to match. */
export interface PodFailurePolicyOnPodConditionsPattern {
  /** Type of the condition. */
  type: string
  /**
   * Status of the condition: True, False or Unknown.
   * @default True
   */
  status?: string
}

/** Policy that determines which pods are sufficient for the success of the Job. */
export interface SuccessPolicy {
  /**
   * Rules of the policy. One rule that matches is sufficient.
   * @listType atomic
   */
  rules: SuccessPolicyRule[]
}

/** Pods that are sufficient for the success of the Job. */
export interface SuccessPolicyRule {
  /** Indexes of the pods, as `1,3-5`. */
  succeededIndexes?: string
  /** Number of the indexes that must succeed. */
  succeededCount?: Int32
}

/** Observed state of a Job. */
export interface JobStatus {
  /**
   * Conditions of the Job.
   * @listType atomic
   * @patchStrategy merge key=type
   */
  conditions?: JobCondition[]
  /** Time when the Job was started or resumed. */
  startTime?: Time
  /** Time when the Job succeeded. */
  completionTime?: Time
  /** Number of pending and running pods. */
  active?: Int32
  /** Number of succeeded pods. */
  succeeded?: Int32
  /** Number of failed pods. */
  failed?: Int32
  /** Number of terminating pods. */
  terminating?: Int32
  /** Indexes that have succeeded, as `1,3-5`. */
  completedIndexes?: string
  /** Indexes that have failed, as `1,3-5`. */
  failedIndexes?: string
  /** UIDs of terminated pods that are not counted yet. */
  uncountedTerminatedPods?: UncountedTerminatedPods
  /** Number of ready pods. */
  ready?: Int32
}

/** UIDs of terminated pods that are observed, but not counted in the status yet. */
export interface UncountedTerminatedPods {
  /**
   * UIDs of succeeded pods.
   * @listType set
   */
  succeeded?: string[]
  /**
   * UIDs of failed pods.
   * @listType set
   */
  failed?: string[]
}

/** Condition of a Job. */
export interface JobCondition {
  /** Type of the condition: Complete, Failed, Suspended, FailureTarget, SuccessCriteriaMet. */
  type: string
  /** Status of the condition: True, False or Unknown. */
  status: string
  /** Time of the last check of the condition. */
  lastProbeTime?: Time
  /** Time of the last transition of the status. */
  lastTransitionTime?: Time
  /** Reason of the last transition, as one CamelCase word. */
  reason?: string
  /** Human-readable explanation of the last transition. */
  message?: string
}
