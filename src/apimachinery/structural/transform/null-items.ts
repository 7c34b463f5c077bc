import { isJsonObject } from '#apimachinery/own-property.ts'
import { mapFields, mapItems } from './map-changes.ts'
import type { StructuralSchema } from '../schema.ts'

type Filler = (value: unknown) => unknown

/** Zero values of Go for JSON nulls in types that cannot be nil. */
const zeros: ReadonlyMap<StructuralSchema['type'], unknown> = new Map<StructuralSchema['type'], unknown>([
  ['object', {}],
  ['string', ''],
  ['integer', 0],
  ['number', 0],
  ['boolean', false],
])

function compile(schema: StructuralSchema): Filler | undefined {
  const { items, properties, additionalProperties } = schema
  if (items !== undefined) {
    const item = elementFiller(items)
    return (value) => (Array.isArray(value) ? mapItems(value, item) : value)
  }
  const others = typeof additionalProperties === 'object' ? elementFiller(additionalProperties) : undefined
  const fields = new Map<string, Filler>()
  for (const [key, property] of Object.entries(properties ?? {})) {
    const filler = compile(property)
    if (filler !== undefined) fields.set(key, filler)
  }
  if (fields.size === 0 && others === undefined) return undefined
  return (value) => (isJsonObject(value) ? mapFields(value, (field, key) => (fields.get(key) ?? others)?.(field) ?? field) : value)
}

function elementFiller(schema: StructuralSchema): Filler {
  const inner = compile(schema)
  // A nested list or map may be nil.
  return (value) => (value === null ? (zeros.get(schema.type) ?? null) : inner === undefined ? value : inner(value))
}

const compiled = new WeakMap<StructuralSchema, Filler>()

/**
 * Replaces nulls in lists and maps by zero values, as Go does when it decodes into types that
 * cannot be nil: the rules of built-in kinds rely on non-null items. Returns the same value when
 * there are none.
 */
export function fillNullItems(value: unknown, schema: StructuralSchema): unknown {
  let filler = compiled.get(schema)
  if (filler === undefined) {
    filler = compile(schema) ?? ((same) => same)
    compiled.set(schema, filler)
  }
  return filler(value)
}
