// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { LabelSelector, ObjectMeta } from '#api/meta/v1/schema.generated.ts'

export const CrossVersionObjectReference: StructuralSchema = {
  type: 'object',
  description: 'Reference to an object, independent of the API version.',
  properties: {
    kind: {
      type: 'string',
      description: 'Kind of the object.',
    },
    name: {
      type: 'string',
      description: 'Name of the object.',
    },
    apiVersion: {
      type: 'string',
      description: 'API version of the object.',
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
      description: 'Type of the target: Utilization, Value or AverageValue.',
    },
    value: {
      anyOf: [{
        type: 'number',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Total value.',
    },
    averageValue: {
      anyOf: [{
        type: 'number',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Average value.',
    },
    averageUtilization: {
      type: 'integer',
      format: 'int32',
      description: 'Average value in percent of the requested amount.',
    },
  },
  required: ['type'],
}

export const MetricIdentifier: StructuralSchema = {
  type: 'object',
  description: 'Identifier of a metric.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the metric.',
    },
    selector: {
      ...LabelSelector,
      description: 'Label selector for the series of the metric.',
    },
  },
  required: ['name'],
}

export const ObjectMetricSource: StructuralSchema = {
  type: 'object',
  description: 'Metric of an object.',
  properties: {
    describedObject: {
      ...CrossVersionObjectReference,
      description: 'Reference to the object.',
    },
    target: {
      ...MetricTarget,
      description: 'Target value.',
    },
    metric: {
      ...MetricIdentifier,
      description: 'Identifier of the metric.',
    },
  },
  required: ['describedObject', 'target', 'metric'],
}

export const PodsMetricSource: StructuralSchema = {
  type: 'object',
  description: 'Metric and its target value.',
  properties: {
    metric: {
      ...MetricIdentifier,
      description: 'Identifier of the metric.',
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
  description: 'Resource of pods and its target value.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the resource: cpu or memory.',
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
  description: 'Resource of one container and its target value.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the resource: cpu or memory.',
    },
    target: {
      ...MetricTarget,
      description: 'Target value.',
    },
    container: {
      type: 'string',
      description: 'Name of the container.',
    },
  },
  required: ['name', 'target', 'container'],
}

export const MetricSpec: StructuralSchema = {
  type: 'object',
  description: 'Metric to measure.',
  properties: {
    type: {
      type: 'string',
      description: 'Type of the metric: Object, Pods, Resource, ContainerResource or External.',
    },
    object: {
      ...ObjectMetricSource,
      description: 'Metric of an object.',
    },
    pods: {
      ...PodsMetricSource,
      description: 'Metric of each pod.',
    },
    resource: {
      ...ResourceMetricSource,
      description: 'Resource of the pods.',
    },
    containerResource: {
      ...ContainerResourceMetricSource,
      description: 'Resource of one container of the pods.',
    },
    external: {
      ...PodsMetricSource,
      description: 'Metric from outside of the cluster.',
    },
  },
  required: ['type'],
}

export const HPAScalingPolicy: StructuralSchema = {
  type: 'object',
  description: 'Policy that limits scaling.',
  properties: {
    type: {
      type: 'string',
      description: 'Type of the policy: Pods or Percent.',
    },
    value: {
      type: 'integer',
      format: 'int32',
      description: 'Maximum change within the period.',
    },
    periodSeconds: {
      type: 'integer',
      format: 'int32',
      description: 'Length of the period in seconds.',
    },
  },
  required: ['type', 'value', 'periodSeconds'],
}

export const HPAScalingRules: StructuralSchema = {
  type: 'object',
  description: 'Limits on the speed of scaling in one direction.',
  properties: {
    stabilizationWindowSeconds: {
      type: 'integer',
      format: 'int32',
      description: 'Seconds of past recommendations that are considered before scaling.',
    },
    selectPolicy: {
      type: 'string',
      description: 'Selection of the policy that applies: Max, Min or Disabled.',
    },
    policies: {
      type: 'array',
      items: HPAScalingPolicy,
      description: 'Policies that limit scaling.',
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
      description: 'Tolerated deviation of the metric from the target value.',
    },
  },
}

export const HorizontalPodAutoscalerBehavior: StructuralSchema = {
  type: 'object',
  description: 'Limits on the speed of scaling.',
  properties: {
    scaleUp: {
      ...HPAScalingRules,
      description: 'Rules for scaling up.',
    },
    scaleDown: {
      ...HPAScalingRules,
      description: 'Rules for scaling down.',
    },
  },
}

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
    metrics: {
      type: 'array',
      items: MetricSpec,
      description: 'Metrics to measure.',
      'x-kubernetes-list-type': 'atomic',
    },
    behavior: {
      ...HorizontalPodAutoscalerBehavior,
      description: 'Limits on the speed of scaling.',
    },
  },
  required: ['scaleTargetRef', 'maxReplicas'],
}

export const MetricValueStatus: StructuralSchema = {
  type: 'object',
  description: 'Measured value.',
  properties: {
    value: {
      anyOf: [{
        type: 'number',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Total value.',
    },
    averageValue: {
      anyOf: [{
        type: 'number',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Average value.',
    },
    averageUtilization: {
      type: 'integer',
      format: 'int32',
      description: 'Average value in percent of the requested amount.',
    },
  },
}

export const ResourceMetricStatus: StructuralSchema = {
  type: 'object',
  description: 'Measured value of a resource.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the resource: cpu or memory.',
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
  description: 'Measured value of a metric.',
  properties: {
    type: {
      type: 'string',
      description: 'Type of the metric: Object, Pods, Resource, ContainerResource or External.',
    },
    resource: {
      ...ResourceMetricStatus,
      description: 'Resource of the pods.',
    },
  },
  required: ['type'],
}

export const HorizontalPodAutoscalerCondition: StructuralSchema = {
  type: 'object',
  description: 'Condition of an autoscaler.',
  properties: {
    type: {
      type: 'string',
      description: 'Type of the condition.',
    },
    status: {
      type: 'string',
      description: 'Status of the condition: True, False or Unknown.',
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
    currentMetrics: {
      type: 'array',
      items: MetricStatus,
      description: 'Measured values of the metrics.',
      'x-kubernetes-list-type': 'atomic',
    },
    conditions: {
      type: 'array',
      items: HorizontalPodAutoscalerCondition,
      description: 'Conditions of the autoscaler.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'type',
    },
  },
}

export const HorizontalPodAutoscaler: StructuralSchema = {
  type: 'object',
  description: 'Scales a workload by its usage of resources and by other metrics.',
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
