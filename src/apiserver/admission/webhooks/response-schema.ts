import type { StructuralSchema } from '#apimachinery/structural/schema.ts'

const text: StructuralSchema = { type: 'string', nullable: true }
const number: StructuralSchema = { type: 'integer', nullable: true }
const texts: StructuralSchema = { type: 'array', nullable: true, items: { type: 'string' } }

/** Fields of an AdmissionResponse that the server reads. Go clients write null for empty fields. */
export const responseSchema: StructuralSchema = {
  type: 'object',
  required: ['allowed'],
  properties: {
    uid: text,
    // A string "false" would be truthy.
    allowed: { type: 'boolean' },
    patch: text,
    patchType: text,
    warnings: texts,
    status: {
      type: 'object',
      nullable: true,
      properties: {
        code: number,
        message: text,
        reason: text,
        details: {
          type: 'object',
          nullable: true,
          properties: {
            name: text,
            group: text,
            kind: text,
            uid: text,
            retryAfterSeconds: number,
            causes: {
              type: 'array',
              nullable: true,
              items: { type: 'object', properties: { reason: text, message: text, field: text } },
            },
          },
        },
      },
    },
  },
}
