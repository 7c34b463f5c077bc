// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { ObjectReference, PodTemplateSpec } from '#api/core/v1/schema.generated.ts'
import { LabelSelector, ObjectMeta } from '#api/meta/v1/schema.generated.ts'

export const PodFailurePolicyOnExitCodesRequirement: StructuralSchema = {
  type: 'object',
  description: 'Requirement on the exit codes of containers.',
  properties: {
    containerName: {
      type: 'string',
      description: 'Name of the only container to check.',
    },
    operator: {
      type: 'string',
      description: 'Comparison operator: In or NotIn.',
    },
    values: {
      type: 'array',
      items: {
        type: 'integer',
        format: 'int32',
      },
      description: 'Exit codes to compare with.',
      'x-kubernetes-list-type': 'set',
    },
  },
  required: ['operator', 'values'],
}

export const PodFailurePolicyOnPodConditionsPattern: StructuralSchema = {
  type: 'object',
  description: 'Condition of a pod to match.',
  properties: {
    type: {
      type: 'string',
      description: 'Type of the condition.',
    },
    status: {
      type: 'string',
      description: 'Status of the condition: True, False or Unknown.',
      default: 'True',
    },
  },
  required: ['type'],
}

export const PodFailurePolicyRule: StructuralSchema = {
  type: 'object',
  description: 'Action for one kind of pod failure.',
  properties: {
    action: {
      type: 'string',
      description: 'Action: FailJob, FailIndex, Ignore or Count.',
    },
    onExitCodes: {
      ...PodFailurePolicyOnExitCodesRequirement,
      description: 'Requirement on the exit code of a container.',
    },
    onPodConditions: {
      type: 'array',
      items: PodFailurePolicyOnPodConditionsPattern,
      description: 'Conditions of the pod to match.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['action'],
}

export const PodFailurePolicy: StructuralSchema = {
  type: 'object',
  description: 'Policy that determines which pod failures count and which pod failures fail the Job.',
  properties: {
    rules: {
      type: 'array',
      items: PodFailurePolicyRule,
      description: 'Rules of the policy. The first rule that matches applies.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['rules'],
}

export const SuccessPolicyRule: StructuralSchema = {
  type: 'object',
  description: 'Pods that are sufficient for the success of the Job.',
  properties: {
    succeededIndexes: {
      type: 'string',
      description: 'Indexes of the pods, as `1,3-5`.',
    },
    succeededCount: {
      type: 'integer',
      format: 'int32',
      description: 'Number of the indexes that must succeed.',
    },
  },
}

export const SuccessPolicy: StructuralSchema = {
  type: 'object',
  description: 'Policy that determines which pods are sufficient for the success of the Job.',
  properties: {
    rules: {
      type: 'array',
      items: SuccessPolicyRule,
      description: 'Rules of the policy. One rule that matches is sufficient.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['rules'],
}

export const JobSpec: StructuralSchema = {
  type: 'object',
  description: 'Desired state of a Job.',
  properties: {
    parallelism: {
      type: 'integer',
      format: 'int32',
      description: 'Maximum number of pods that run at the same time.',
    },
    completions: {
      type: 'integer',
      format: 'int32',
      description: 'Number of pods that must succeed. When absent, the success of one pod completes the Job as soon as no other pod runs.',
    },
    activeDeadlineSeconds: {
      type: 'integer',
      format: 'int32',
      description: 'Seconds after which the Job is stopped and marked as failed.',
    },
    podFailurePolicy: {
      ...PodFailurePolicy,
      description: 'Policy that determines which pod failures count and which pod failures fail the Job.',
    },
    successPolicy: {
      ...SuccessPolicy,
      description: 'Policy that determines which pods are sufficient for the success of the Job.',
    },
    backoffLimit: {
      type: 'integer',
      format: 'int32',
      description: 'Number of pod failures that are tolerated.',
    },
    backoffLimitPerIndex: {
      type: 'integer',
      format: 'int32',
      description: 'Number of pod failures that are tolerated for each index.',
    },
    maxFailedIndexes: {
      type: 'integer',
      format: 'int32',
      description: 'Number of indexes that may fail before the Job fails.',
    },
    selector: {
      ...LabelSelector,
      description: 'Label selector for the pods of the Job; set by the server.',
    },
    manualSelector: {
      type: 'boolean',
      description: 'True if the selector is set by the user.',
    },
    template: {
      ...PodTemplateSpec,
      description: 'Template of the pods.',
    },
    ttlSecondsAfterFinished: {
      type: 'integer',
      format: 'int32',
      description: 'Seconds between the end of the Job and its deletion.',
    },
    completionMode: {
      type: 'string',
      description: 'Completion mode: NonIndexed, or Indexed, in which each pod has its own index.',
      default: 'NonIndexed',
    },
    suspend: {
      type: 'boolean',
      description: 'True if the Job is suspended and runs no pods.',
      default: false,
    },
    podReplacementPolicy: {
      type: 'string',
      description: 'State in which a pod is replaced: TerminatingOrFailed or Failed.',
    },
    managedBy: {
      type: 'string',
      description: 'Name of the controller that manages the Job, if not the built-in controller.',
    },
  },
  required: ['template'],
}

export const JobTemplateSpec: StructuralSchema = {
  type: 'object',
  description: 'Template of the Jobs of a CronJob.',
  properties: {
    metadata: {
      ...ObjectMeta,
      description: 'Labels and annotations of the Jobs.',
    },
    spec: {
      ...JobSpec,
      description: 'Spec of the Jobs.',
    },
  },
  required: ['spec'],
}

export const CronJobSpec: StructuralSchema = {
  type: 'object',
  description: 'Desired state of a CronJob.',
  properties: {
    schedule: {
      type: 'string',
      description: 'Schedule in Cron format.',
    },
    timeZone: {
      type: 'string',
      description: 'Time zone of the schedule.',
    },
    startingDeadlineSeconds: {
      type: 'integer',
      format: 'int64',
      description: 'Maximum delay in seconds of the start of a Job.',
    },
    concurrencyPolicy: {
      type: 'string',
      description: 'Policy if the previous Job still runs: Allow, Forbid or Replace.',
      default: 'Allow',
    },
    suspend: {
      type: 'boolean',
      description: 'True if the creation of Jobs is suspended.',
      default: false,
    },
    jobTemplate: {
      ...JobTemplateSpec,
      description: 'Template of the Jobs.',
    },
    successfulJobsHistoryLimit: {
      type: 'integer',
      format: 'int32',
      description: 'Number of succeeded Jobs to keep.',
      default: 3,
    },
    failedJobsHistoryLimit: {
      type: 'integer',
      format: 'int32',
      description: 'Number of failed Jobs to keep.',
      default: 1,
    },
  },
  required: ['schedule', 'jobTemplate'],
}

export const CronJobStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a CronJob.',
  properties: {
    active: {
      type: 'array',
      items: ObjectReference,
      description: 'References to the running Jobs.',
      'x-kubernetes-list-type': 'atomic',
    },
    lastScheduleTime: {
      type: 'string',
      format: 'date-time',
      description: 'Time when a Job was last created.',
    },
    lastSuccessfulTime: {
      type: 'string',
      format: 'date-time',
      description: 'Time when a Job last succeeded.',
    },
  },
}

export const CronJob: StructuralSchema = {
  type: 'object',
  description: 'Creates Jobs on a schedule.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in CamelCase.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and other metadata of the object.',
    },
    spec: {
      ...CronJobSpec,
      description: 'Desired state of the CronJob.',
    },
    status: {
      ...CronJobStatus,
      description: 'Observed state of the CronJob.',
    },
  },
  required: ['spec'],
}

export const JobCondition: StructuralSchema = {
  type: 'object',
  description: 'Condition of a Job.',
  properties: {
    type: {
      type: 'string',
      description: 'Type of the condition: Complete, Failed, Suspended, FailureTarget, SuccessCriteriaMet.',
    },
    status: {
      type: 'string',
      description: 'Status of the condition: True, False or Unknown.',
    },
    lastProbeTime: {
      type: 'string',
      format: 'date-time',
      description: 'Time of the last check of the condition.',
    },
    lastTransitionTime: {
      type: 'string',
      format: 'date-time',
      description: 'Time of the last transition of the status.',
    },
    reason: {
      type: 'string',
      description: 'Reason of the last transition, as one CamelCase word.',
    },
    message: {
      type: 'string',
      description: 'Human-readable explanation of the last transition.',
    },
  },
  required: ['type', 'status'],
}

export const UncountedTerminatedPods: StructuralSchema = {
  type: 'object',
  description: 'UIDs of terminated pods that are observed, but not counted in the status yet.',
  properties: {
    succeeded: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'UIDs of succeeded pods.',
      'x-kubernetes-list-type': 'set',
    },
    failed: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'UIDs of failed pods.',
      'x-kubernetes-list-type': 'set',
    },
  },
}

export const JobStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a Job.',
  properties: {
    conditions: {
      type: 'array',
      items: JobCondition,
      description: 'Conditions of the Job.',
      'x-kubernetes-list-type': 'atomic',
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'type',
    },
    startTime: {
      type: 'string',
      format: 'date-time',
      description: 'Time when the Job was started or resumed.',
    },
    completionTime: {
      type: 'string',
      format: 'date-time',
      description: 'Time when the Job succeeded.',
    },
    active: {
      type: 'integer',
      format: 'int32',
      description: 'Number of pending and running pods.',
    },
    succeeded: {
      type: 'integer',
      format: 'int32',
      description: 'Number of succeeded pods.',
    },
    failed: {
      type: 'integer',
      format: 'int32',
      description: 'Number of failed pods.',
    },
    terminating: {
      type: 'integer',
      format: 'int32',
      description: 'Number of terminating pods.',
    },
    completedIndexes: {
      type: 'string',
      description: 'Indexes that have succeeded, as `1,3-5`.',
    },
    failedIndexes: {
      type: 'string',
      description: 'Indexes that have failed, as `1,3-5`.',
    },
    uncountedTerminatedPods: {
      ...UncountedTerminatedPods,
      description: 'UIDs of terminated pods that are not counted yet.',
    },
    ready: {
      type: 'integer',
      format: 'int32',
      description: 'Number of ready pods.',
    },
  },
}

export const Job: StructuralSchema = {
  type: 'object',
  description: 'Runs pods until the required number of pods has succeeded.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in CamelCase.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and other metadata of the object.',
    },
    spec: {
      ...JobSpec,
      description: 'Desired state of the Job.',
    },
    status: {
      ...JobStatus,
      description: 'Observed state of the Job.',
    },
  },
  required: ['spec'],
}

/** Schemas by kind. */
export const schemas: Readonly<Record<string, StructuralSchema>> = {
  CronJob: CronJob,
  Job: Job,
}
