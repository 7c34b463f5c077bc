import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { escapeProperty } from '../values/property-names.ts'
import * as types from './types.ts'
import type { CelType, ObjectField } from './types.ts'

/** The largest request that is taken, in bytes: nothing in it can be larger. */
const maxRequestBytes = 3 * 1024 * 1024
/** Maximum length of a text in such a request, without its quotes. */
const maxTextLength = maxRequestBytes - 2
/** Maximum and minimum length of a duration or time in JSON. */
const maxTimeLength = 32
const minTimeBytes = 21
const minDateBytes = 12
const minDurationBytes = 3
const minTextBytes = 2

/** Fields of every resource's root that expressions see, whatever its schema says. */
const text: StructuralSchema = { type: 'string' }
const metadata: StructuralSchema = { type: 'object', properties: { name: text, generateName: text } }

/** A schema with apiVersion, kind and the names in metadata, as at the root of a resource. */
function asResource(schema: StructuralSchema): StructuralSchema {
  return { ...schema, properties: { ...schema.properties, apiVersion: text, kind: text, metadata } }
}

/**
 * Returns the CEL type of values of a schema; undefined for values that expressions do not see,
 * because no schema describes them. `resource` is for the root of a resource and of an embedded
 * one.
 */
export function schemaType(schema: StructuralSchema, resource: boolean = false): CelType | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) return { kind: 'dyn', minBytes: 1, maxSize: textLength(schema) }
  const type = typeOfSchema(resource ? asResource(schema) : schema)
  return type === undefined || schema.nullable !== true ? type : { ...type, nullable: true }
}

function typeOfSchema(schema: StructuralSchema): CelType | undefined {
  if (schema.type === 'array') return listType(schema)
  if (schema.type === 'object') return objectOrMap(schema)
  if (schema.type === 'string') return textType(schema)
  if (schema.type === 'boolean') return { ...types.bool, minBytes: 4 }
  if (schema.type === 'number') return { ...types.double, minBytes: 1 }
  return schema.type === 'integer' ? { ...types.int, minBytes: 1 } : undefined
}

function inner(schema: StructuralSchema): CelType | undefined {
  return schemaType(schema, schema['x-kubernetes-embedded-resource'] === true)
}

function listType(schema: StructuralSchema): CelType | undefined {
  const element = schema.items === undefined ? undefined : inner(schema.items)
  if (element === undefined) return undefined
  // Two brackets, and a comma after each item.
  const maxSize = Math.max(0, schema.maxItems ?? Math.floor((maxRequestBytes - 2) / ((element.minBytes ?? 1) + 1)))
  const list = { kind: 'list', element, maxSize, minBytes: 2 } as const
  const listType = schema['x-kubernetes-list-type']
  if (listType === 'set') return { ...list, listType }
  return listType === 'map' ? { ...list, listType, listMapKeys: schema['x-kubernetes-list-map-keys'] ?? [] } : list
}

function objectOrMap(schema: StructuralSchema): CelType | undefined {
  const { additionalProperties } = schema
  if (typeof additionalProperties !== 'object') return objectType(schema)
  const value = inner(additionalProperties)
  if (value === undefined) return undefined
  // Two braces; with each value a key of two characters, its quotes, a colon and a comma.
  const maxSize = Math.max(0, schema.maxProperties ?? Math.floor((maxRequestBytes - 2) / ((value.minBytes ?? 1) + 6)))
  return { kind: 'map', key: types.string, value, maxSize, minBytes: 2 }
}

function objectType(schema: StructuralSchema): CelType {
  const fields = new Map<string, ObjectField>()
  let minBytes = 2
  for (const [property, field] of Object.entries(schema.properties ?? {})) {
    const type = inner(field)
    if (type === undefined) continue
    const name = escapeProperty(property)
    if (name !== undefined) fields.set(name, { property, type })
    const isGiven = schema.required?.includes(property) === true && field.default === undefined
    if (isGiven) minBytes += property.length + (type.minBytes ?? 1) + 4
  }
  return { kind: 'object', name: 'object', fields, minBytes }
}

function textLength(schema: StructuralSchema): number {
  // The price of a character is that of its bytes in UTF-8.
  if (schema.maxLength !== undefined) return Math.min(Math.max(0, schema.maxLength) * 4, Number.MAX_SAFE_INTEGER)
  return maxTextLength
}

function textType(schema: StructuralSchema): CelType {
  const { format, maxLength, enum: values = [] } = schema
  if (format === 'byte') return { ...types.bytes, minBytes: minTextBytes, maxSize: maxLength ?? maxTextLength }
  if (format === 'duration') return { ...types.duration, minBytes: minDurationBytes, maxSize: maxTimeLength }
  if (format === 'date') return { ...types.timestamp, minBytes: minDateBytes, maxSize: minDateBytes }
  if (format === 'date-time') return { ...types.timestamp, minBytes: minTimeBytes, maxSize: maxTimeLength }
  if (maxLength === undefined && values.length > 0) {
    const maxSize = Math.max(...values.map((value) => (typeof value === 'string' ? value.length : 0)))
    return { ...types.string, minBytes: minTextBytes, maxSize }
  }
  return { ...types.string, minBytes: minTextBytes, maxSize: textLength(schema) }
}
