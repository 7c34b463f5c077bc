// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { ObjectMeta } from '#api/meta/v1/schema.generated.ts'

export const PriorityClass: StructuralSchema = {
  type: 'object',
  description: 'Named priority of pods.',
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
    value: {
      type: 'integer',
      format: 'int32',
      description: 'Priority of the pods. Pods with a higher priority come first.',
      default: 0,
    },
    globalDefault: {
      type: 'boolean',
      description: 'True if the class applies to pods without a class.',
    },
    description: {
      type: 'string',
      description: 'Intended use of the class.',
    },
    preemptionPolicy: {
      type: 'string',
      description: 'Preemption policy: PreemptLowerPriority or Never.',
      default: 'PreemptLowerPriority',
    },
  },
  required: ['value'],
}

/** Schemas by kind. */
export const schemas: Readonly<Record<string, StructuralSchema>> = {
  PriorityClass: PriorityClass,
}
