import { isJsonObject } from '#apimachinery/own-property.ts'
import { canonicalQuantity, isQuantity } from '#apimachinery/quantity.ts'
import { mapFields, mapItems } from '#apimachinery/structural/transform/map-changes.ts'
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'

/** Rewrites the quantities in a value; undefined where the schema has none. */
type Rewriter = (value: unknown) => unknown

const compiled = new WeakMap<StructuralSchema, { readonly rewrite: Rewriter | undefined }>()

/**
 * Writes quantities of built-in kinds in canonical form (`1000m` becomes `1`), as Go clients do and
 * then compare strings. Returns the same object when nothing changes. Custom resources stay as
 * written.
 */
export function canonicalQuantities<T>(object: T, schema: StructuralSchema): T {
  let known = compiled.get(schema)
  if (known === undefined) {
    known = { rewrite: compile(schema) }
    compiled.set(schema, known)
  }
  return known.rewrite === undefined ? object : (known.rewrite(object) as T)
}

/** Identifies quantities by the generated schema: a number, or a string with a pattern. */
function isQuantitySchema({ anyOf, pattern }: StructuralSchema): boolean {
  return (
    pattern !== undefined &&
    anyOf?.length === 2 &&
    anyOf.some(({ type }) => type === 'number') &&
    anyOf.some(({ type }) => type === 'string')
  )
}

function compile(schema: StructuralSchema): Rewriter | undefined {
  if (isQuantitySchema(schema)) return rewriteQuantity
  const fields = new Map<string, Rewriter>()
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    const rewrite = compile(property)
    if (rewrite !== undefined) fields.set(key, rewrite)
  }
  const { additionalProperties } = schema
  const others = typeof additionalProperties === 'object' ? compile(additionalProperties) : undefined
  const items = schema.items === undefined ? undefined : compile(schema.items)
  if (fields.size === 0 && others === undefined && items === undefined) return undefined
  return (value) => {
    if (Array.isArray(value)) return items === undefined ? value : mapItems(value, items)
    if (!isJsonObject(value)) return value
    return mapFields(value, (field, key) => (fields.get(key) ?? others)?.(field) ?? field)
  }
}

/** Malformed quantities are left to validation. */
function rewriteQuantity(value: unknown): unknown {
  const isText = typeof value === 'string' || typeof value === 'number'
  return isText && isQuantity(value) ? canonicalQuantity(value) : value
}
