import type { StructuralSchema } from './schema.ts'

const text: StructuralSchema = { type: 'string', nullable: true }
const whole: StructuralSchema = { type: 'integer', nullable: true }
const flag: StructuralSchema = { type: 'boolean', nullable: true }
const texts: StructuralSchema = { type: 'array', nullable: true, items: { type: 'string' } }
/** Go's maps take a null value for the empty text. */
const textMap: StructuralSchema = { type: 'object', nullable: true, additionalProperties: { type: 'string', nullable: true } }

/**
 * The schema of `metadata`. Schemas of custom resources omit it, yet its types are checked.
 * Everything is nullable: Go clients send null for unset fields, above all creationTimestamp.
 */
export const objectMetaSchema: StructuralSchema = {
  type: 'object',
  nullable: true,
  properties: {
    name: text,
    generateName: text,
    namespace: text,
    selfLink: text,
    uid: text,
    resourceVersion: text,
    generation: whole,
    creationTimestamp: text,
    deletionTimestamp: text,
    deletionGracePeriodSeconds: whole,
    labels: textMap,
    annotations: textMap,
    finalizers: texts,
    ownerReferences: {
      type: 'array',
      nullable: true,
      items: {
        type: 'object',
        properties: { apiVersion: text, kind: text, name: text, uid: text, controller: flag, blockOwnerDeletion: flag },
      },
    },
    managedFields: {
      type: 'array',
      nullable: true,
      items: {
        type: 'object',
        properties: {
          manager: text,
          operation: text,
          apiVersion: text,
          time: text,
          fieldsType: text,
          fieldsV1: { type: 'object', nullable: true, 'x-kubernetes-preserve-unknown-fields': true },
          subresource: text,
        },
      },
    },
  },
}

/** Reports whether a schema does not declare the fields of `metadata`, which is the usual case. */
export function leavesMetadataOpen(schema: StructuralSchema): boolean {
  return schema.properties?.['metadata']?.properties === undefined
}
