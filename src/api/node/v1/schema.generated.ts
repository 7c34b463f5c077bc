// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { Toleration } from '#api/core/v1/schema.generated.ts'
import { ObjectMeta } from '#api/meta/v1/schema.generated.ts'

export const Overhead: StructuralSchema = {
  type: 'object',
  description: 'Resources of each pod beyond those of its containers.',
  properties: {
    podFixed: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'number',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      description: 'Amount of each resource.',
    },
  },
}

export const Scheduling: StructuralSchema = {
  type: 'object',
  description: 'Scheduling constraints of the pods of a class.',
  properties: {
    nodeSelector: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Labels that a node must have.',
      'x-kubernetes-map-type': 'atomic',
    },
    tolerations: {
      type: 'array',
      items: Toleration,
      description: 'Taints that the pods tolerate.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const RuntimeClass: StructuralSchema = {
  type: 'object',
  description: 'Class of pods that run with the same container runtime.',
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
    handler: {
      type: 'string',
      description: 'Name of the runtime handler on the node.',
    },
    overhead: {
      ...Overhead,
      description: 'Additional resources of each pod.',
    },
    scheduling: {
      ...Scheduling,
      description: 'Scheduling constraints of the pods of the class.',
    },
  },
  required: ['handler'],
}

/** Schemas by kind. */
export const schemas: Readonly<Record<string, StructuralSchema>> = {
  RuntimeClass: RuntimeClass,
}
