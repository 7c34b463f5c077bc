// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { ObjectMeta } from '#api/meta/v1/schema.generated.ts'

export const TopologySelectorLabelRequirement: StructuralSchema = {
  type: 'object',
  description: 'A condition on a label.',
  properties: {
    key: {
      type: 'string',
      description: 'The label.',
    },
    values: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Values that will do.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['key', 'values'],
}

export const TopologySelectorTerm: StructuralSchema = {
  type: 'object',
  description: 'Chooses nodes by label.',
  properties: {
    matchLabelExpressions: {
      type: 'array',
      items: TopologySelectorLabelRequirement,
      description: 'All must match.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  'x-kubernetes-map-type': 'atomic',
}

export const StorageClass: StructuralSchema = {
  type: 'object',
  description: 'A way to make volumes.',
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
    provisioner: {
      type: 'string',
      description: 'Who makes them.',
    },
    parameters: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Settings for the provisioner.',
    },
    reclaimPolicy: {
      type: 'string',
      description: 'What happens to a volume when its claim goes.',
      default: 'Delete',
    },
    mountOptions: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Options of the mounts.',
      'x-kubernetes-list-type': 'atomic',
    },
    allowVolumeExpansion: {
      type: 'boolean',
      description: 'Whether claims may grow.',
    },
    volumeBindingMode: {
      type: 'string',
      description: 'Immediate or WaitForFirstConsumer.',
      default: 'Immediate',
    },
    allowedTopologies: {
      type: 'array',
      items: TopologySelectorTerm,
      description: 'Where volumes can be made.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['provisioner'],
}

/** Schemas by kind. */
export const schemas: Readonly<Record<string, StructuralSchema>> = {
  StorageClass: StorageClass,
}
