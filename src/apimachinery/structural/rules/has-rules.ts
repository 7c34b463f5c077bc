import type { StructuralSchema } from '../schema.ts'

const known = new WeakMap<StructuralSchema, boolean>()

/** Reports whether a schema has validation rules. Does not load the CEL evaluator. */
export function hasRules(schema: StructuralSchema): boolean {
  const before = known.get(schema)
  if (before !== undefined) return before
  const found = search(schema)
  known.set(schema, found)
  return found
}

function search(schema: StructuralSchema): boolean {
  const { items, additionalProperties, properties = {}, allOf = [] } = schema
  return (
    (schema['x-kubernetes-validations'] ?? []).length > 0 ||
    (items !== undefined && hasRules(items)) ||
    (typeof additionalProperties === 'object' && hasRules(additionalProperties)) ||
    Object.values(properties).some(hasRules) ||
    allOf.some(hasRules)
  )
}
