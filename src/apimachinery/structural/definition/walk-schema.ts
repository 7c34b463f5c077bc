import type { StructuralSchema } from '../schema.ts'

/** Visits a nested schema: `field` is its path, `key` the name of the field that it describes. */
export type VisitSchema = (schema: StructuralSchema, field: string, key: string) => void

/** Visits the schemas of an object's fields. */
export function forEachField({ properties }: StructuralSchema, field: string, visit: VisitSchema): void {
  if (properties === undefined) return
  for (const key of Object.keys(properties)) {
    const inner = properties[key]
    if (inner !== undefined) visit(inner, `${field}.properties[${key}]`, key)
  }
}

/** Visits the schema of a map's values. */
export function forEachValue({ additionalProperties }: StructuralSchema, field: string, visit: VisitSchema): void {
  if (typeof additionalProperties === 'object') visit(additionalProperties, `${field}.additionalProperties`, '')
}

/** Visits the schema of a list's items. */
export function forEachItem({ items }: StructuralSchema, field: string, visit: VisitSchema): void {
  if (items !== undefined && !Array.isArray(items)) visit(items, `${field}.items`, '')
}

/** Visits the schemas that restrict the same value: anyOf, allOf, oneOf, not. */
export function forEachJunction({ anyOf, allOf, oneOf, not }: StructuralSchema, field: string, visit: VisitSchema): void {
  anyOf?.forEach((inner, index) => visit(inner, `${field}.anyOf[${index}]`, ''))
  allOf?.forEach((inner, index) => visit(inner, `${field}.allOf[${index}]`, ''))
  oneOf?.forEach((inner, index) => visit(inner, `${field}.oneOf[${index}]`, ''))
  if (not !== undefined) visit(not, `${field}.not`, '')
}

/** Reports whether the predicate holds for a schema or a nested one. */
export function someSchema(schema: StructuralSchema, is: (schema: StructuralSchema) => boolean): boolean {
  if (is(schema)) return true
  let found = false
  const look: VisitSchema = (inner) => {
    found ||= someSchema(inner, is)
  }
  forEachField(schema, '', look)
  forEachValue(schema, '', look)
  forEachItem(schema, '', look)
  forEachJunction(schema, '', look)
  return found
}
