import { isJsonObject } from '#apimachinery/own-property.ts'
import { mapFields, mapItems, removed } from './map-changes.ts'
import { leavesMetadataOpen } from '../object-meta-schema.ts'
import type { StructuralSchema } from '../schema.ts'

type Dropper = (value: unknown) => unknown

function isNeverNull(schema: StructuralSchema): boolean {
  return schema.nullable !== true && schema.default === undefined
}

function compile(schema: StructuralSchema): Dropper | undefined {
  const { additionalProperties, properties, items } = schema
  if (additionalProperties === undefined && properties === undefined && items === undefined) return undefined
  // Compiled at the first object that has a field: objects use few of the fields that large kinds
  // declare.
  let fields: ReadonlyMap<string, Dropper> | undefined
  const others = typeof additionalProperties === 'object' ? fieldDropper(additionalProperties) : undefined
  const item = items === undefined ? undefined : compile(items)
  const dropField = (value: unknown, key: string): unknown => {
    fields ??= new Map(Object.entries(properties ?? {}).map(([name, property]) => [name, fieldDropper(property)]))
    return (fields.has(key) ? fields.get(key) : others)?.(value) ?? value
  }
  return (value) => {
    if (Array.isArray(value)) return item === undefined ? value : mapItems(value, (element) => item(element))
    return isJsonObject(value) ? mapFields(value, dropField) : value
  }
}

function fieldDropper(schema: StructuralSchema): Dropper {
  const never = isNeverNull(schema)
  const inner = compile(schema)
  return (value) => {
    if (value === null) return never ? removed : value
    return inner === undefined ? value : inner(value)
  }
}

/**
 * In metadata null means absent at any depth; labels and annotations keep the key with an empty
 * text, as Go's maps do.
 */
function dropMetadataNulls(metadata: unknown): unknown {
  return isJsonObject(metadata) ? mapFields(metadata, (value) => (value === null ? removed : value)) : metadata
}

function compileRoot(schema: StructuralSchema): Dropper {
  const drop = compile(schema)
  const open = leavesMetadataOpen(schema)
  return (value) => {
    const dropped = drop === undefined ? value : drop(value)
    if (!open || !isJsonObject(dropped)) return dropped
    return mapFields(dropped, (item, key) => (key === 'metadata' ? dropMetadataNulls(item) : item))
  }
}

const compiled = new WeakMap<StructuralSchema, Dropper>()

/**
 * Removes null fields where the schema of a whole resource neither allows null nor has a default:
 * Go clients send null for unset fields. Null fields of `metadata` are removed as well. Returns the
 * same value when there are none.
 */
export function dropNulls(value: unknown, schema: StructuralSchema): unknown {
  let dropper = compiled.get(schema)
  if (dropper === undefined) {
    dropper = compileRoot(schema)
    compiled.set(schema, dropper)
  }
  return dropper(value)
}
