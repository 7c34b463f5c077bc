// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { Condition, ObjectMeta } from '#api/meta/v1/schema.generated.ts'

export const FlowControlStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a schema or a level.',
  properties: {
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
}

export const FlowSchema: StructuralSchema = {
  type: 'object',
  description: 'Sorts requests into levels of priority.',
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
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Which requests, and which level.',
    },
    status: {
      ...FlowControlStatus,
      description: 'Observed state.',
    },
  },
}

export const PriorityLevelConfiguration: StructuralSchema = {
  type: 'object',
  description: 'How many requests of a level may run at a time.',
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
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Type of the level and its limits.',
    },
    status: {
      ...FlowControlStatus,
      description: 'Observed state.',
    },
  },
}

/** Schemas by kind. */
export const schemas: Readonly<Record<string, StructuralSchema>> = {
  FlowSchema: FlowSchema,
  PriorityLevelConfiguration: PriorityLevelConfiguration,
}
