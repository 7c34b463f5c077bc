import fc from 'fast-check'
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'

const words = fc.constantFrom('a', 'b', 'none', 'LiveMigrate', '__proto__')

/** Generates values that a schema accepts by their types; patterns and rules do not count. */
export function valueOf(schema: StructuralSchema): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  if (schema.type === undefined || schema.type === 'string')
    return schema['x-kubernetes-int-or-string'] === true ? fc.constantFrom('1Gi', '500m', '0') : words
  switch (schema.type) {
    case 'boolean':
      return fc.boolean()
    case 'integer':
    case 'number':
      return fc.integer({ min: 1, max: 1000 })
    case 'array':
      return fc.array(valueOf(schema.items ?? {}), { maxLength: 3 })
    case 'object':
      return objectOf(schema)
  }
}

function objectOf(schema: StructuralSchema): fc.Arbitrary<unknown> {
  const { properties, additionalProperties, required = [] } = schema
  if (properties !== undefined) {
    const fields = Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, valueOf(field)]))
    return fc.record(fields, { requiredKeys: [...required], noNullPrototype: true })
  }
  const values = typeof additionalProperties === 'object' ? valueOf(additionalProperties) : words
  return fc.dictionary(fc.constantFrom('k', 'x.y/z', 'old'), values, { maxKeys: 2, noNullPrototype: true })
}
