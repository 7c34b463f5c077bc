import { cloneJson } from '#apimachinery/json/json-clone.ts'
import { getOwn, isJsonObject, setOwnInto } from '#apimachinery/own-property.ts'
import { mapFields, mapItems } from './map-changes.ts'
import type { StructuralSchema } from '../schema.ts'

/** Sets defaults in a value. An undefined defaulter means that there are no defaults below. */
type Defaulter = (value: unknown) => unknown

interface FieldDefault {
  readonly key: string
  readonly value: unknown
  readonly nullable: boolean
}

function ownDefaults(schema: StructuralSchema): FieldDefault[] {
  return Object.entries(schema.properties ?? {})
    .filter(([, property]) => property.default !== undefined)
    .map(([key, property]) => ({ key, value: property.default, nullable: property.nullable === true }))
}

function setMissing(object: Readonly<Record<string, unknown>>, defaults: readonly FieldDefault[]): Readonly<Record<string, unknown>> {
  let result: Record<string, unknown> | undefined
  for (const field of defaults) {
    const value = getOwn(object, field.key)
    if (value !== undefined && (value !== null || field.nullable)) continue
    result ??= { ...object }
    setOwnInto(result, field.key, cloneJson(field.value))
  }
  return result ?? object
}

function childDefaulters(schema: StructuralSchema): Map<string, Defaulter> {
  const children = new Map<string, Defaulter>()
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    const child = compile(property)
    if (child !== undefined) children.set(key, child)
  }
  return children
}

function compile(schema: StructuralSchema): Defaulter | undefined {
  const { additionalProperties, properties } = schema
  const defaults = ownDefaults(schema)
  const children = childDefaulters(schema)
  const others = typeof additionalProperties === 'object' ? compileElement(additionalProperties) : undefined
  const items = schema.items === undefined ? undefined : compileElement(schema.items)
  if (defaults.length === 0 && children.size === 0 && others === undefined && items === undefined) return undefined
  const declared = new Set(Object.keys(properties ?? {}))
  const descend = (item: unknown, key: string): unknown => {
    const child = declared.has(key) ? children.get(key) : others
    return child === undefined ? item : child(item)
  }
  return (value) => {
    if (Array.isArray(value)) return items === undefined ? value : mapItems(value, items)
    return isJsonObject(value) ? mapFields(setMissing(value, defaults), descend) : value
  }
}

/**
 * Compiles an item of a list or a value of a map: it is never absent, but a non-nullable null is
 * replaced by its default.
 */
function compileElement(schema: StructuralSchema): Defaulter | undefined {
  const inner = compile(schema)
  if (schema.default === undefined || schema.nullable === true) return inner
  return (value) => {
    const present = value === null ? cloneJson(schema.default) : value
    return inner === undefined ? present : inner(present)
  }
}

const compiled = new WeakMap<StructuralSchema, Defaulter>()

/**
 * Sets the schema's defaults for fields that are absent, or null and not nullable, in objects that
 * are present: never for an absent parent. Returns the same value when nothing changes.
 */
export function applyDefaults(value: unknown, schema: StructuralSchema): unknown {
  let defaulter = compiled.get(schema)
  if (defaulter === undefined) {
    defaulter = compile(schema) ?? ((same) => same)
    compiled.set(schema, defaulter)
  }
  return defaulter(value)
}
