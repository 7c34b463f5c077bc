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
      description: 'The workload.',
    },
    minReplicas: {
      type: 'integer',
      format: 'int32',
      description: 'Fewest replicas.',
    },
    maxReplicas: {
      type: 'integer',
      format: 'int32',
      description: 'Most replicas.',
    },
    targetCPUUtilizationPercentage: {
      type: 'integer',
      format: 'int32',
      description: 'Percent of the requested CPU that pods should use, on average.',
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
      description: 'The generation of the spec that this is about.',
    },
    lastScaleTime: {
      type: 'string',
      format: 'date-time',
      description: 'When it scaled last.',
    },
    currentReplicas: {
      type: 'integer',
      format: 'int32',
      description: 'Replicas now.',
    },
    desiredReplicas: {
      type: 'integer',
      format: 'int32',
      description: 'Replicas wanted.',
    },
    currentCPUUtilizationPercentage: {
      type: 'integer',
      format: 'int32',
      description: 'Percent of the requested CPU that pods use, on average.',
    },
  },
}

export const HorizontalPodAutoscaler: StructuralSchema = {
  type: 'object',
  description: 'Scales a workload by the CPU it uses. The older form of the kind in `autoscaling/v2`.',
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
      ...HorizontalPodAutoscalerSpec,
      description: 'Desired state.',
    },
    status: {
      ...HorizontalPodAutoscalerStatus,
      description: 'Observed state.',
    },
  },
}

/** Schemas by kind. */
export const schemas: Readonly<Record<string, StructuralSchema>> = {
  HorizontalPodAutoscaler: HorizontalPodAutoscaler,
}
