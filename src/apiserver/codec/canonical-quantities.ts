import { isJsonObject } from '#apimachinery/own-property.ts'
import { canonicalQuantity, isQuantity } from '#apimachinery/quantity.ts'
import { mapFields, mapItems } from '#apimachinery/structural/transform/map-changes.ts'
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'

/**
 * Rewrites the quantities in a value. Undefined in the place of one means that there are none
 * below.
 */
type Rewriter = (value: unknown) => unknown

const compiled = new WeakMap<StructuralSchema, { readonly rewrite: Rewriter | undefined }>()

/**
 * Writes every quantity of a built-in kind in its canonical form (`1000m` becomes `1`): Go clients
 * do so when they read and write an object, and then compare texts. The very same object comes back
 * when all are canonical. Custom resources keep what was written.
 */
export function canonicalQuantities<T>(object: T, schema: StructuralSchema): T {
  let known = compiled.get(schema)
  if (known === undefined) {
    known = { rewrite: compile(schema) }
    compiled.set(schema, known)
  }
  return known.rewrite === undefined ? object : (known.rewrite(object) as T)
}

/**
 * The generated schemas have one form for quantities: a number or text with a pattern, which
 * nothing else has.
 */
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

/** What is no quantity is left for validation to name. */
function rewriteQuantity(value: unknown): unknown {
  const isText = typeof value === 'string' || typeof value === 'number'
  return isText && isQuantity(value) ? canonicalQuantity(value) : value
}
