import fc from 'fast-check'
import type { StructuralSchema } from './schema.ts'

const keys = fc.constantFrom('a', 'b', 'c', 'metadata', '__proto__')

/** JSON values with few different keys, so that they often meet those of {@link schemas}. */
export const values: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  node: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, 0, -1, 1.5, '', 'a', '10', 2 ** 40),
    fc.array(tie('node'), { maxLength: 3 }),
    fc.dictionary(keys, tie('node'), { noNullPrototype: true, maxKeys: 4 }),
  ),
})).node

const extras: fc.Arbitrary<StructuralSchema> = fc.record(
  { nullable: fc.boolean(), default: values, 'x-kubernetes-preserve-unknown-fields': fc.boolean() },
  { requiredKeys: [] },
)

/** Structural schemas of all shapes, many of which make little sense. */
export const schemas: fc.Arbitrary<StructuralSchema> = fc.letrec<{ node: StructuralSchema }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4 },
    fc
      .tuple(
        fc.record<StructuralSchema>(
          {
            type: fc.constantFrom('string', 'integer', 'number', 'boolean'),
            enum: fc.array(fc.constantFrom<unknown>('a', 1, null), { maxLength: 2 }),
            minimum: fc.integer(),
            maximum: fc.integer(),
            maxLength: fc.nat(),
            format: fc.constantFrom('date-time', 'int32', 'uuid', 'nonsense'),
            pattern: fc.constantFrom('^a$', '(', '\\d+'),
          },
          { requiredKeys: ['type'] },
        ),
        extras,
      )
      .map(([scalar, extra]) => ({ ...scalar, ...extra })),
    fc.constant<StructuralSchema>({ 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] }),
    fc.record<StructuralSchema>(
      {
        type: fc.constant('array'),
        items: tie('node'),
        maxItems: fc.nat({ max: 3 }),
        'x-kubernetes-list-type': fc.constantFrom('atomic', 'set', 'map'),
        'x-kubernetes-list-map-keys': fc.array(keys, { maxLength: 2 }),
      },
      { requiredKeys: ['type'] },
    ),
    fc
      .tuple(
        fc.record<StructuralSchema>(
          {
            properties: fc.dictionary(keys, tie('node'), { noNullPrototype: true }),
            additionalProperties: fc.oneof(fc.boolean(), tie('node')),
            required: fc.array(keys, { maxLength: 2 }),
            oneOf: fc.array(tie('node'), { maxLength: 2 }),
            not: tie('node'),
            maxProperties: fc.nat({ max: 3 }),
            'x-kubernetes-embedded-resource': fc.boolean(),
          },
          { requiredKeys: [] },
        ),
        extras,
      )
      .map(([object, extra]) => ({ type: 'object' as const, ...object, ...extra })),
  ),
})).node
