import type { StructuralSchema } from '../schema.ts'

/** A schema inside another, and the field where it stands. */
export interface Place {
  readonly schema: StructuralSchema
  readonly field: string
}

/** The schemas that give a value its structure: of its fields, of the values of a map, of the items of a list. */
export function structuralChildren(
  schema: StructuralSchema,
  field: string,
): { fields: [string, Place][]; values: Place[]; items: Place[] } {
  const { properties = {}, additionalProperties, items } = schema
  return {
    fields: Object.entries(properties).map(([key, inner]) => [key, { schema: inner, field: `${field}.properties[${key}]` }]),
    values: typeof additionalProperties === 'object' ? [{ schema: additionalProperties, field: `${field}.additionalProperties` }] : [],
    items: items === undefined || Array.isArray(items) ? [] : [{ schema: items, field: `${field}.items` }],
  }
}

/** The schemas that restrict the same value: allOf, anyOf, oneOf, not. */
export function junctions(schema: StructuralSchema, field: string): Place[] {
  const { allOf = [], anyOf = [], oneOf = [], not } = schema
  const each = (key: string, schemas: readonly StructuralSchema[]): Place[] =>
    schemas.map((inner, index) => ({ schema: inner, field: `${field}.${key}[${index}]` }))
  return [
    ...each('anyOf', anyOf),
    ...each('allOf', allOf),
    ...each('oneOf', oneOf),
    ...(not === undefined ? [] : [{ schema: not, field: `${field}.not` }]),
  ]
}

/** Everything that stands in a schema, itself first. */
export function everySchema(schema: StructuralSchema, field: string): Place[] {
  const { fields, values, items } = structuralChildren(schema, field)
  const inner = [...fields.map(([, place]) => place), ...values, ...items, ...junctions(schema, field)]
  return [{ schema, field }, ...inner.flatMap((place) => everySchema(place.schema, place.field))]
}
