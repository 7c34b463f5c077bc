// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'

export const MigrationPolicySelectors: StructuralSchema = {
  type: 'object',
  description: 'Selectors of VMIs. A VMI is selected if it matches all labels of both selectors.',
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
      description: 'Labels of the VMI.',
    },
  },
}

export const MigrationPolicySpec: StructuralSchema = {
  type: 'object',
  description: 'Selected VMIs and their migration settings. An absent setting has the same value as for all other VMIs.',
  properties: {
    selectors: {
      ...MigrationPolicySelectors,
      description: 'Selectors of the VMIs.',
    },
    allowAutoConverge: {
      type: 'boolean',
      description: 'Allows the throttling of a guest that writes memory faster than the migration copies it.',
    },
    bandwidthPerMigration: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-int-or-string': true,
      description: 'Maximum bandwidth of one migration, in bytes per second.',
    },
    completionTimeoutPerGiB: {
      type: 'integer',
      format: 'int64',
      description: 'Timeout of a migration, in seconds for each GiB.',
    },
    allowPostCopy: {
      type: 'boolean',
      description: 'Allows the guest to run on the target node before all of its memory is copied (post-copy).',
    },
    allowWorkloadDisruption: {
      type: 'boolean',
      description: 'Allows the guest to be paused so that its migration completes.',
    },
    maxDowntimeMs: {
      type: 'integer',
      format: 'int64',
      minimum: 0,
      description: 'Maximum downtime of the guest at the end of a migration, in milliseconds.',
      maximum: 4294967295,
    },
  },
  required: ['selectors'],
}

export const MigrationPolicy: StructuralSchema = {
  type: 'object',
  description: 'Migration settings for VMIs with certain labels, in namespaces with certain labels.',
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
      type: 'object',
    },
    spec: {
      ...MigrationPolicySpec,
      description: 'Selected VMIs and their migration settings.',
    },
    status: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Status of the policy. Never written.',
    },
  },
  required: ['spec'],
}

/** Schemas by kind. */
export const schemas: Readonly<Record<string, StructuralSchema>> = {
  MigrationPolicy: MigrationPolicy,
}
