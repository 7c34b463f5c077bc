// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { Condition, LabelSelector, ObjectMeta } from '#api/meta/v1/schema.generated.ts'

export const Eviction: StructuralSchema = {
  type: 'object',
  description: 'Asks a pod, named by the metadata, to go.',
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
      description: 'How many pods must stay, as number or percentage.',
    },
    selector: {
      ...LabelSelector,
      description: 'Which pods.',
      'x-kubernetes-patch-strategy': 'replace',
    },
    maxUnavailable: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      'x-kubernetes-int-or-string': true,
      description: 'How many pods may be missing, as number or percentage.',
    },
    unhealthyPodEvictionPolicy: {
      type: 'string',
      description: 'When pods that are not ready may be evicted: IfHealthyBudget or AlwaysAllow.',
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
      description: 'The generation of the spec that this is about.',
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
      description: 'How many pods may be evicted now.',
      default: 0,
    },
    currentHealthy: {
      type: 'integer',
      format: 'int32',
      description: 'Healthy pods.',
      default: 0,
    },
    desiredHealthy: {
      type: 'integer',
      format: 'int32',
      description: 'Pods that must stay healthy.',
      default: 0,
    },
    expectedPods: {
      type: 'integer',
      format: 'int32',
      description: 'Pods that count.',
      default: 0,
    },
    conditions: {
      type: 'array',
      items: Condition,
      description: 'The state, by aspect.',
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
  description: 'Limits how many pods of a set may be evicted at a time.',
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
      ...PodDisruptionBudgetSpec,
      description: 'Desired state.',
    },
    status: {
      ...PodDisruptionBudgetStatus,
      description: 'Observed state.',
    },
  },
}

/** Schemas by kind. */
export const schemas: Readonly<Record<string, StructuralSchema>> = {
  Eviction: Eviction,
  PodDisruptionBudget: PodDisruptionBudget,
}
