// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { ObjectMeta } from '#api/meta/v1/schema.generated.ts'

export const PriorityClass: StructuralSchema = {
  type: 'object',
  description: 'Names a priority for pods.',
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
    value: {
      type: 'integer',
      format: 'int32',
      description: 'The priority; higher goes first.',
      default: 0,
    },
    globalDefault: {
      type: 'boolean',
      description: 'Whether pods without a class get this one.',
    },
    description: {
      type: 'string',
      description: 'Intended use.',
    },
    preemptionPolicy: {
      type: 'string',
      description: 'PreemptLowerPriority or Never.',
      default: 'PreemptLowerPriority',
    },
  },
  required: ['value'],
}

/** Schemas by kind. */
export const schemas: Readonly<Record<string, StructuralSchema>> = {
  PriorityClass: PriorityClass,
}
