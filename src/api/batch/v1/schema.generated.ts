// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { ObjectReference, PodTemplateSpec } from '#api/core/v1/schema.generated.ts'
import { LabelSelector, ObjectMeta } from '#api/meta/v1/schema.generated.ts'

export const PodFailurePolicyOnExitCodesRequirement: StructuralSchema = {
  type: 'object',
  description: 'Exit codes of containers.',
  properties: {
    containerName: {
      type: 'string',
      description: 'Only this container.',
    },
    operator: {
      type: 'string',
      description: 'In or NotIn.',
    },
    values: {
      type: 'array',
      items: {
        type: 'integer',
        format: 'int32',
      },
      description: 'The codes.',
      'x-kubernetes-list-type': 'set',
    },
  },
  required: ['operator', 'values'],
}

export const PodFailurePolicyOnPodConditionsPattern: StructuralSchema = {
  type: 'object',
  description: 'A condition of a pod.',
  properties: {
    type: {
      type: 'string',
      description: 'Its type.',
    },
    status: {
      type: 'string',
      description: 'True, False or Unknown.',
    },
  },
  required: ['type', 'status'],
}

export const PodFailurePolicyRule: StructuralSchema = {
  type: 'object',
  description: 'Action about failures of one sort.',
  properties: {
    action: {
      type: 'string',
      description: 'FailJob, FailIndex, Ignore or Count.',
    },
    onExitCodes: {
      ...PodFailurePolicyOnExitCodesRequirement,
      description: 'By the exit code of a container.',
    },
    onPodConditions: {
      type: 'array',
      items: PodFailurePolicyOnPodConditionsPattern,
      description: 'By conditions of the pod.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['action'],
}

export const PodFailurePolicy: StructuralSchema = {
  type: 'object',
  description: 'Which failures of pods count, and which end the Job.',
  properties: {
    rules: {
      type: 'array',
      items: PodFailurePolicyRule,
      description: 'The first that matches decides.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['rules'],
}

export const SuccessPolicyRule: StructuralSchema = {
  type: 'object',
  description: 'Pods that are enough for success.',
  properties: {
    succeededIndexes: {
      type: 'string',
      description: 'Indexes, as `1,3-5`.',
    },
    succeededCount: {
      type: 'integer',
      format: 'int32',
      description: 'How many of them.',
    },
  },
}

export const SuccessPolicy: StructuralSchema = {
  type: 'object',
  description: 'Which pods are enough for success.',
  properties: {
    rules: {
      type: 'array',
      items: SuccessPolicyRule,
      description: 'Any one is enough.',
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
      description: 'Most pods that run at once.',
    },
    completions: {
      type: 'integer',
      format: 'int32',
      description: 'Pods that must succeed. Without it, one that succeeds ends the Job as soon as no other runs.',
    },
    activeDeadlineSeconds: {
      type: 'integer',
      format: 'int32',
      description: 'Seconds after which the Job is ended as failed.',
    },
    podFailurePolicy: {
      ...PodFailurePolicy,
      description: 'Which failures of pods count, and which end the Job.',
    },
    successPolicy: {
      ...SuccessPolicy,
      description: 'Which pods are enough for success.',
    },
    backoffLimit: {
      type: 'integer',
      format: 'int32',
      description: 'Failures of pods that are borne.',
    },
    backoffLimitPerIndex: {
      type: 'integer',
      format: 'int32',
      description: 'Failures of pods that are borne for each index.',
    },
    maxFailedIndexes: {
      type: 'integer',
      format: 'int32',
      description: 'Indexes that may fail before the Job does.',
    },
    selector: {
      ...LabelSelector,
      description: 'The pods that belong to it; made by the server.',
    },
    manualSelector: {
      type: 'boolean',
      description: 'Whether the selector is the user\'s own.',
    },
    template: {
      ...PodTemplateSpec,
      description: 'Template of the pods.',
    },
    ttlSecondsAfterFinished: {
      type: 'integer',
      format: 'int32',
      description: 'Seconds after its end when the Job is deleted.',
    },
    completionMode: {
      type: 'string',
      description: 'NonIndexed, or Indexed: then each pod has a number of its own.',
      default: 'NonIndexed',
    },
    suspend: {
      type: 'boolean',
      description: 'Runs no pods for now.',
      default: false,
    },
    podReplacementPolicy: {
      type: 'string',
      description: 'TerminatingOrFailed or Failed: when a pod is replaced.',
    },
    managedBy: {
      type: 'string',
      description: 'Controller that manages the Job, if not the built-in one.',
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
      description: 'When, in Cron\'s format.',
    },
    timeZone: {
      type: 'string',
      description: 'Time zone of the schedule.',
    },
    startingDeadlineSeconds: {
      type: 'integer',
      format: 'int64',
      description: 'Seconds by which a Job may be late.',
    },
    concurrencyPolicy: {
      type: 'string',
      description: 'Allow, Forbid or Replace: what if the last Job still runs.',
      default: 'Allow',
    },
    suspend: {
      type: 'boolean',
      description: 'Suspends the creation of Jobs.',
      default: false,
    },
    jobTemplate: {
      ...JobTemplateSpec,
      description: 'Template of the Jobs.',
    },
    successfulJobsHistoryLimit: {
      type: 'integer',
      format: 'int32',
      description: 'Jobs kept that succeeded.',
      default: 3,
    },
    failedJobsHistoryLimit: {
      type: 'integer',
      format: 'int32',
      description: 'Jobs kept that failed.',
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
      description: 'Jobs that run.',
      'x-kubernetes-list-type': 'atomic',
    },
    lastScheduleTime: {
      type: 'string',
      format: 'date-time',
      description: 'When a Job was last made.',
    },
    lastSuccessfulTime: {
      type: 'string',
      format: 'date-time',
      description: 'When a Job last succeeded.',
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
      description: 'Kind of this object in camel case.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and bookkeeping of the object.',
    },
    spec: {
      ...CronJobSpec,
      description: 'Desired state.',
    },
    status: {
      ...CronJobStatus,
      description: 'Observed state.',
    },
  },
  required: ['spec'],
}

export const JobCondition: StructuralSchema = {
  type: 'object',
  description: 'One aspect of the state of a Job.',
  properties: {
    type: {
      type: 'string',
      description: 'Name of the aspect: Complete, Failed, Suspended, FailureTarget, SuccessCriteriaMet.',
    },
    status: {
      type: 'string',
      enum: ['True', 'False', 'Unknown'],
      description: 'True, False or Unknown.',
    },
    lastProbeTime: {
      type: 'string',
      format: 'date-time',
      description: 'When it was last looked at.',
    },
    lastTransitionTime: {
      type: 'string',
      format: 'date-time',
      description: 'When the status last changed.',
    },
    reason: {
      type: 'string',
      description: 'Why, in one word.',
    },
    message: {
      type: 'string',
      description: 'Why, in a sentence.',
    },
  },
  required: ['type', 'status'],
}

export const UncountedTerminatedPods: StructuralSchema = {
  type: 'object',
  description: 'Uids of pods that have ended, between being seen and being counted.',
  properties: {
    succeeded: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Those that succeeded.',
      'x-kubernetes-list-type': 'set',
    },
    failed: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Those that failed.',
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
      description: 'The state, by aspect.',
      'x-kubernetes-list-type': 'atomic',
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'type',
    },
    startTime: {
      type: 'string',
      format: 'date-time',
      description: 'When it was begun, or resumed.',
    },
    completionTime: {
      type: 'string',
      format: 'date-time',
      description: 'When it succeeded.',
    },
    active: {
      type: 'integer',
      format: 'int32',
      description: 'Pods that run or wait.',
    },
    succeeded: {
      type: 'integer',
      format: 'int32',
      description: 'Pods that have succeeded.',
    },
    failed: {
      type: 'integer',
      format: 'int32',
      description: 'Pods that have failed.',
    },
    terminating: {
      type: 'integer',
      format: 'int32',
      description: 'Pods that are going.',
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
      description: 'Pods that have ended and are not counted yet.',
    },
    ready: {
      type: 'integer',
      format: 'int32',
      description: 'Pods that are ready.',
    },
  },
}

export const Job: StructuralSchema = {
  type: 'object',
  description: 'Runs pods until enough of them have succeeded.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in camel case.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and bookkeeping of the object.',
    },
    spec: {
      ...JobSpec,
      description: 'Desired state.',
    },
    status: {
      ...JobStatus,
      description: 'Observed state.',
    },
  },
  required: ['spec'],
}

/** Schemas by kind. */
export const schemas: Readonly<Record<string, StructuralSchema>> = {
  CronJob: CronJob,
  Job: Job,
}
