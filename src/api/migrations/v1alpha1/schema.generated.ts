// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'

export const MigrationPolicySelectors: StructuralSchema = {
  type: 'object',
  description: 'Which guests: those that have all labels of both.',
  properties: {
    namespaceSelector: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Labels of the namespace.',
    },
    virtualMachineInstanceSelector: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Labels of the guest.',
    },
  },
}

export const MigrationPolicySpec: StructuralSchema = {
  type: 'object',
  description: 'Which guests are moved in which way. What is not set is as for all other guests.',
  properties: {
    selectors: {
      ...MigrationPolicySelectors,
      description: 'Which guests.',
    },
    allowAutoConverge: {
      type: 'boolean',
      description: 'Whether a guest that writes faster than it can be copied is slowed down.',
    },
    bandwidthPerMigration: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-int-or-string': true,
      description: 'Bytes a second that one migration may take.',
    },
    completionTimeoutPerGiB: {
      type: 'integer',
      format: 'int64',
      description: 'Seconds for each GiB until a migration is given up.',
    },
    allowPostCopy: {
      type: 'boolean',
      description: 'Whether the guest may run on its new node before all of its memory is there.',
    },
    allowWorkloadDisruption: {
      type: 'boolean',
      description: 'Whether the guest may be stopped so that its migration ends.',
    },
    maxDowntimeMs: {
      type: 'integer',
      format: 'int64',
      minimum: 0,
      description: 'Milliseconds that the guest may stand still at the end.',
      maximum: 4294967295,
    },
  },
  required: ['selectors'],
}

export const MigrationPolicy: StructuralSchema = {
  type: 'object',
  description: 'How guests with certain labels, in namespaces with certain labels, are moved.',
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
      type: 'object',
    },
    spec: {
      ...MigrationPolicySpec,
      description: 'Which guests, and how.',
    },
    status: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Nothing is written here.',
    },
  },
  required: ['spec'],
}

/** Schemas by kind. */
export const schemas: Readonly<Record<string, StructuralSchema>> = {
  MigrationPolicy: MigrationPolicy,
}
