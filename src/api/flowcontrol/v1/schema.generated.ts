// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { Condition, ObjectMeta } from '#api/meta/v1/schema.generated.ts'

export const FlowControlStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a FlowSchema or a PriorityLevelConfiguration.',
  properties: {
    conditions: {
      type: 'array',
      items: Condition,
      description: 'Conditions of the object.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'type',
    },
  },
}

export const FlowSchema: StructuralSchema = {
  type: 'object',
  description: 'Assigns requests to priority levels.',
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
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Requests and their priority level.',
    },
    status: {
      ...FlowControlStatus,
      description: 'Observed state of the FlowSchema.',
    },
  },
}

export const PriorityLevelConfiguration: StructuralSchema = {
  type: 'object',
  description: 'Limit on the number of concurrent requests of a priority level.',
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
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Type of the priority level and its limits.',
    },
    status: {
      ...FlowControlStatus,
      description: 'Observed state of the PriorityLevelConfiguration.',
    },
  },
}

/** Schemas by kind. */
export const schemas: Readonly<Record<string, StructuralSchema>> = {
  FlowSchema: FlowSchema,
  PriorityLevelConfiguration: PriorityLevelConfiguration,
}
