// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { Condition, LabelSelector, ObjectMeta } from '#api/meta/v1/schema.generated.ts'

export const Eviction: StructuralSchema = {
  type: 'object',
  description: 'Request to evict a pod. The metadata contains the name of the pod.',
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
    deleteOptions: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Options of the deletion.',
    },
  },
}

export const PodDisruptionBudgetSpec: StructuralSchema = {
  type: 'object',
  description: 'Desired state of a budget.',
  properties: {
    minAvailable: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      'x-kubernetes-int-or-string': true,
      description: 'Number of pods that must remain available, as number or percentage.',
    },
    selector: {
      ...LabelSelector,
      description: 'Label selector for the pods of the budget.',
      'x-kubernetes-patch-strategy': 'replace',
    },
    maxUnavailable: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      'x-kubernetes-int-or-string': true,
      description: 'Number of pods that may be unavailable, as number or percentage.',
    },
    unhealthyPodEvictionPolicy: {
      type: 'string',
      description: 'Policy for evicting pods that are not ready: IfHealthyBudget or AlwaysAllow.',
    },
  },
}

export const PodDisruptionBudgetStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a budget.',
  properties: {
    observedGeneration: {
      type: 'integer',
      format: 'int64',
      description: 'Generation of the spec that the status describes.',
    },
    disruptedPods: {
      type: 'object',
      additionalProperties: {
        type: 'string',
        format: 'date-time',
      },
      description: 'Pods that are being evicted, with the time of the eviction.',
    },
    disruptionsAllowed: {
      type: 'integer',
      format: 'int32',
      description: 'Number of pods that may currently be evicted.',
      default: 0,
    },
    currentHealthy: {
      type: 'integer',
      format: 'int32',
      description: 'Number of healthy pods.',
      default: 0,
    },
    desiredHealthy: {
      type: 'integer',
      format: 'int32',
      description: 'Number of pods that must remain healthy.',
      default: 0,
    },
    expectedPods: {
      type: 'integer',
      format: 'int32',
      description: 'Number of pods that the budget counts.',
      default: 0,
    },
    conditions: {
      type: 'array',
      items: Condition,
      description: 'Conditions of the budget.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'type',
    },
  },
  required: ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'],
}

export const PodDisruptionBudget: StructuralSchema = {
  type: 'object',
  description: 'Limit on the number of pods of a set that may be evicted at the same time.',
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
      ...PodDisruptionBudgetSpec,
      description: 'Desired state of the budget.',
    },
    status: {
      ...PodDisruptionBudgetStatus,
      description: 'Observed state of the budget.',
    },
  },
}

/** Schemas by kind. */
export const schemas: Readonly<Record<string, StructuralSchema>> = {
  Eviction: Eviction,
  PodDisruptionBudget: PodDisruptionBudget,
}
