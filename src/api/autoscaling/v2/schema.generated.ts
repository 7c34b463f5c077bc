// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { LabelSelector, ObjectMeta } from '#api/meta/v1/schema.generated.ts'

export const CrossVersionObjectReference: StructuralSchema = {
  type: 'object',
  description: 'Names an object whatever the version.',
  properties: {
    kind: {
      type: 'string',
      description: 'Kind.',
    },
    name: {
      type: 'string',
      description: 'Name.',
    },
    apiVersion: {
      type: 'string',
      description: 'API version.',
    },
  },
  required: ['kind', 'name'],
  'x-kubernetes-map-type': 'atomic',
}

export const MetricTarget: StructuralSchema = {
  type: 'object',
  description: 'Target value of a metric.',
  properties: {
    type: {
      type: 'string',
      description: 'Utilization, Value or AverageValue.',
    },
    value: {
      anyOf: [{
        type: 'number',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'In all.',
    },
    averageValue: {
      anyOf: [{
        type: 'number',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'On average.',
    },
    averageUtilization: {
      type: 'integer',
      format: 'int32',
      description: 'Percent of what was requested, on average.',
    },
  },
  required: ['type'],
}

export const MetricIdentifier: StructuralSchema = {
  type: 'object',
  description: 'Names a metric.',
  properties: {
    name: {
      type: 'string',
      description: 'Its name.',
    },
    selector: {
      ...LabelSelector,
      description: 'Which of its series.',
    },
  },
  required: ['name'],
}

export const ObjectMetricSource: StructuralSchema = {
  type: 'object',
  description: 'A metric of an object.',
  properties: {
    describedObject: {
      ...CrossVersionObjectReference,
      description: 'The object.',
    },
    target: {
      ...MetricTarget,
      description: 'Target value.',
    },
    metric: {
      ...MetricIdentifier,
      description: 'The metric.',
    },
  },
  required: ['describedObject', 'target', 'metric'],
}

export const PodsMetricSource: StructuralSchema = {
  type: 'object',
  description: 'A metric, and what it should be.',
  properties: {
    metric: {
      ...MetricIdentifier,
      description: 'The metric.',
    },
    target: {
      ...MetricTarget,
      description: 'Target value.',
    },
  },
  required: ['metric', 'target'],
}

export const ResourceMetricSource: StructuralSchema = {
  type: 'object',
  description: 'A resource of pods.',
  properties: {
    name: {
      type: 'string',
      description: 'cpu or memory.',
    },
    target: {
      ...MetricTarget,
      description: 'Target value.',
    },
  },
  required: ['name', 'target'],
}

export const ContainerResourceMetricSource: StructuralSchema = {
  type: 'object',
  description: 'A resource of one container.',
  properties: {
    name: {
      type: 'string',
      description: 'cpu or memory.',
    },
    target: {
      ...MetricTarget,
      description: 'Target value.',
    },
    container: {
      type: 'string',
      description: 'The container.',
    },
  },
  required: ['name', 'target', 'container'],
}

export const MetricSpec: StructuralSchema = {
  type: 'object',
  description: 'Something to measure.',
  properties: {
    type: {
      type: 'string',
      description: 'Object, Pods, Resource, ContainerResource or External.',
    },
    object: {
      ...ObjectMetricSource,
      description: 'A metric of an object.',
    },
    pods: {
      ...PodsMetricSource,
      description: 'A metric of each pod.',
    },
    resource: {
      ...ResourceMetricSource,
      description: 'A resource of the pods.',
    },
    containerResource: {
      ...ContainerResourceMetricSource,
      description: 'A resource of one container of the pods.',
    },
    external: {
      ...PodsMetricSource,
      description: 'A metric from outside.',
    },
  },
  required: ['type'],
}

export const HPAScalingPolicy: StructuralSchema = {
  type: 'object',
  description: 'A limit of scaling.',
  properties: {
    type: {
      type: 'string',
      description: 'Pods or Percent.',
    },
    value: {
      type: 'integer',
      format: 'int32',
      description: 'How many.',
    },
    periodSeconds: {
      type: 'integer',
      format: 'int32',
      description: 'In how many seconds.',
    },
  },
  required: ['type', 'value', 'periodSeconds'],
}

export const HPAScalingRules: StructuralSchema = {
  type: 'object',
  description: 'How fast an autoscaler may scale in one direction.',
  properties: {
    stabilizationWindowSeconds: {
      type: 'integer',
      format: 'int32',
      description: 'Seconds of looking back before it does.',
    },
    selectPolicy: {
      type: 'string',
      description: 'Max, Min or Disabled.',
    },
    policies: {
      type: 'array',
      items: HPAScalingPolicy,
      description: 'Limits.',
      'x-kubernetes-list-type': 'atomic',
    },
    tolerance: {
      anyOf: [{
        type: 'number',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'How far off the metric may be.',
    },
  },
}

export const HorizontalPodAutoscalerBehavior: StructuralSchema = {
  type: 'object',
  description: 'How fast an autoscaler may scale.',
  properties: {
    scaleUp: {
      ...HPAScalingRules,
      description: 'Upwards.',
    },
    scaleDown: {
      ...HPAScalingRules,
      description: 'Downwards.',
    },
  },
}

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
    metrics: {
      type: 'array',
      items: MetricSpec,
      description: 'Metrics to measure.',
      'x-kubernetes-list-type': 'atomic',
    },
    behavior: {
      ...HorizontalPodAutoscalerBehavior,
      description: 'How fast it may scale.',
    },
  },
  required: ['scaleTargetRef', 'maxReplicas'],
}

export const MetricValueStatus: StructuralSchema = {
  type: 'object',
  description: 'A measured value.',
  properties: {
    value: {
      anyOf: [{
        type: 'number',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'In all.',
    },
    averageValue: {
      anyOf: [{
        type: 'number',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'On average.',
    },
    averageUtilization: {
      type: 'integer',
      format: 'int32',
      description: 'Percent of what was requested, on average.',
    },
  },
}

export const ResourceMetricStatus: StructuralSchema = {
  type: 'object',
  description: 'A measured resource.',
  properties: {
    name: {
      type: 'string',
      description: 'cpu or memory.',
    },
    current: {
      ...MetricValueStatus,
      description: 'Current value.',
    },
  },
  required: ['name', 'current'],
}

export const MetricStatus: StructuralSchema = {
  type: 'object',
  description: 'Measured value.',
  properties: {
    type: {
      type: 'string',
      description: 'Object, Pods, Resource, ContainerResource or External.',
    },
    resource: {
      ...ResourceMetricStatus,
      description: 'A resource of the pods.',
    },
  },
  required: ['type'],
}

export const HorizontalPodAutoscalerCondition: StructuralSchema = {
  type: 'object',
  description: 'The state in one aspect.',
  properties: {
    type: {
      type: 'string',
      description: 'The aspect.',
    },
    status: {
      type: 'string',
      description: 'True, False or Unknown.',
    },
    lastTransitionTime: {
      type: 'string',
      format: 'date-time',
      description: 'When it changed.',
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
    currentMetrics: {
      type: 'array',
      items: MetricStatus,
      description: 'Measured value.',
      'x-kubernetes-list-type': 'atomic',
    },
    conditions: {
      type: 'array',
      items: HorizontalPodAutoscalerCondition,
      description: 'The state, by aspect.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'type',
    },
  },
}

export const HorizontalPodAutoscaler: StructuralSchema = {
  type: 'object',
  description: 'Scales a workload by what it uses.',
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
