import type { StructuralSchema } from '#apimachinery/structural/schema.ts'

const text: StructuralSchema = { type: 'string', nullable: true }
const number: StructuralSchema = { type: 'integer', nullable: true }
const texts: StructuralSchema = { type: 'array', nullable: true, items: { type: 'string' } }

/**
 * What of an AdmissionResponse the server goes by. Go's clients write null for what they leave out.
 */
export const responseSchema: StructuralSchema = {
  type: 'object',
  required: ['allowed'],
  properties: {
    uid: text,
    // A text "false" would be as good as true.
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
