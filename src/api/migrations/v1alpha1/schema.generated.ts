// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'

export const DowntimeTuning: StructuralSchema = {
  type: 'object',
  description: 'Downtime that a migration begins with, and how it grows.',
  properties: {
    cooldownSeconds: {
      type: 'integer',
      format: 'int32',
      description: 'Seconds between two steps.',
      minimum: 1,
    },
    initialMs: {
      type: 'integer',
      format: 'int64',
      description: 'First downtime, in milliseconds.',
      minimum: 1,
    },
    startAfterIteration: {
      type: 'integer',
      format: 'int64',
      description: 'Passes over the memory before the first step.',
      minimum: 1,
    },
    steps: {
      type: 'integer',
      format: 'int32',
      description: 'Steps from the first to the largest downtime.',
      minimum: 1,
    },
  },
}

export const StallDetector: StructuralSchema = {
  type: 'object',
  description: 'Detection of a migration that makes no progress.',
  properties: {
    completionTimeoutFactor: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-int-or-string': true,
      description: 'Factor of the completion timeout after which the migration is stalled.',
    },
    ewmaAlpha: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-int-or-string': true,
      description: 'Weight of the newest measurement in the average.',
    },
    patienceWindowDecayFactor: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-int-or-string': true,
      description: 'Factor by which the patience shrinks.',
    },
    precopyPossibleFactor: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-int-or-string': true,
      description: 'Factor of the downtime below which pre-copy is taken to complete.',
    },
    searchLocalMinima: {
      type: 'boolean',
      description: 'Waits for a pass with little remaining memory.',
    },
    stallMargin: {
      type: 'integer',
      format: 'int64',
      description: 'Progress below which a pass counts as stalled, in percent.',
      minimum: 0,
      maximum: 100,
    },
    stallProgressTimeout: {
      type: 'integer',
      format: 'int64',
      description: 'Seconds without progress.',
      minimum: 0,
    },
    switchoverTimeout: {
      type: 'integer',
      format: 'int64',
      description: 'Seconds for the change to the target.',
      minimum: 0,
    },
  },
}

export const MigrationExperimentalConfiguration: StructuralSchema = {
  type: 'object',
  description: 'Settings of migrations that may change in any version.',
  properties: {
    compression: {
      type: 'string',
      description: 'Compression of the memory that is sent.',
      enum: ['none', 'zstd'],
    },
    downtimeTuning: {
      ...DowntimeTuning,
      description: 'Downtime that a migration begins with, and how it grows.',
    },
    stallDetector: {
      ...StallDetector,
      description: 'Detection of a migration that makes no progress.',
    },
  },
}

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
      minimum: 1,
      description: 'Maximum downtime of the guest at the end of a migration, in milliseconds.',
      maximum: 2000000,
    },
    experimental: {
      ...MigrationExperimentalConfiguration,
      description: 'Settings that may change in any version.',
    },
  },
  required: ['selectors'],
}

export const MigrationPolicyStatus: StructuralSchema = {
  type: 'object',
  description: 'Status without fields.',
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
      ...MigrationPolicyStatus,
      nullable: true,
      description: 'Status of the policy. Never written.',
    },
  },
  required: ['spec'],
}

/** Schemas by kind. */
export const schemas: Readonly<Record<string, StructuralSchema>> = {
  MigrationPolicy: MigrationPolicy,
}
