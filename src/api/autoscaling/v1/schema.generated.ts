// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { CrossVersionObjectReference } from '#api/autoscaling/v2/schema.generated.ts'
import { ObjectMeta } from '#api/meta/v1/schema.generated.ts'

export const HorizontalPodAutoscalerSpec: StructuralSchema = {
  type: 'object',
  description: 'Desired state of an autoscaler.',
  properties: {
    scaleTargetRef: {
      ...CrossVersionObjectReference,
      description: 'Reference to the workload to scale.',
    },
    minReplicas: {
      type: 'integer',
      format: 'int32',
      description: 'Minimum number of replicas.',
    },
    maxReplicas: {
      type: 'integer',
      format: 'int32',
      description: 'Maximum number of replicas.',
    },
    targetCPUUtilizationPercentage: {
      type: 'integer',
      format: 'int32',
      description: 'Target of the average CPU usage of the pods, in percent of the requested CPU.',
    },
  },
  required: ['scaleTargetRef', 'maxReplicas'],
}

export const HorizontalPodAutoscalerStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of an autoscaler.',
  properties: {
    observedGeneration: {
      type: 'integer',
      format: 'int64',
      description: 'Generation of the spec that the status describes.',
    },
    lastScaleTime: {
      type: 'string',
      format: 'date-time',
      description: 'Time when the workload was last scaled.',
    },
    currentReplicas: {
      type: 'integer',
      format: 'int32',
      description: 'Current number of replicas.',
    },
    desiredReplicas: {
      type: 'integer',
      format: 'int32',
      description: 'Desired number of replicas.',
    },
    currentCPUUtilizationPercentage: {
      type: 'integer',
      format: 'int32',
      description: 'Average CPU usage of the pods, in percent of the requested CPU.',
    },
  },
}

export const HorizontalPodAutoscaler: StructuralSchema = {
  type: 'object',
  description: 'Scales a workload by its CPU usage. Older version of the kind in `autoscaling/v2`.',
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
      ...HorizontalPodAutoscalerSpec,
      description: 'Desired state of the autoscaler.',
    },
    status: {
      ...HorizontalPodAutoscalerStatus,
      description: 'Observed state of the autoscaler.',
    },
  },
}

/** Schemas by kind. */
export const schemas: Readonly<Record<string, StructuralSchema>> = {
  HorizontalPodAutoscaler: HorizontalPodAutoscaler,
}
