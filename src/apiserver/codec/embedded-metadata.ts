import { showValue } from '#apimachinery/field-messages.ts'
import { getOwn, isJsonObject } from '#apimachinery/own-property.ts'
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { decodeMetadata, MetadataTypeError } from './metadata.ts'

/**
 * Treatment of malformed metadata: a request is refused; stored objects, which may be older than
 * the schema, lose it.
 */
export type Malformed = 'refuse' | 'drop'

/** Metadata of an embedded resource has a value of the wrong type. The message names the field. */
export class EmbeddedTypeError extends Error {
  override readonly name = 'EmbeddedTypeError'
}

type Coerce = (value: unknown, field: string, malformed: Malformed) => unknown

const compiled = new WeakMap<StructuralSchema, { readonly coerce: Coerce | undefined }>()

/**
 * Canonicalizes the metadata of embedded resources. Returns the same value without changes. @throws
 * EmbeddedTypeError when it refuses
 */
export function coerceEmbedded<T>(value: T, schema: StructuralSchema, malformed: Malformed): T {
  let known = compiled.get(schema)
  if (known === undefined) {
    known = { coerce: compileInner(schema) }
    compiled.set(schema, known)
  }
  return known.coerce === undefined ? value : (known.coerce(value, '', malformed) as T)
}

function compile(schema: StructuralSchema): Coerce | undefined {
  const inner = compileInner(schema)
  if (schema['x-kubernetes-embedded-resource'] !== true) return inner
  return (value, field, malformed) => {
    const below = inner === undefined ? value : inner(value, field, malformed)
    return isJsonObject(below) ? coerceResource(below, field, malformed) : below
  }
}

function compileInner(schema: StructuralSchema): Coerce | undefined {
  const fields = new Map<string, Coerce>()
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    const coerce = compile(property)
    if (coerce !== undefined) fields.set(key, coerce)
  }
  const { additionalProperties, items } = schema
  const others = typeof additionalProperties === 'object' ? compile(additionalProperties) : undefined
  const item = items === undefined || Array.isArray(items) ? undefined : compile(items)
  if (fields.size === 0 && others === undefined && item === undefined) return undefined
  return (value, field, malformed) => {
    if (Array.isArray(value)) {
      return item === undefined ? value : changed(value, (each, index) => item(each, `${field}[${index}]`, malformed))
    }
    if (!isJsonObject(value)) return value
    let result = value
    for (const [key, found] of Object.entries(value)) {
      const coerce = fields.get(key) ?? others
      const next = coerce === undefined ? found : coerce(found, field === '' ? key : `${field}.${key}`, malformed)
      if (next !== found) result = { ...result, [key]: next }
    }
    return result
  }
}

function changed(list: readonly unknown[], change: (item: unknown, index: number) => unknown): readonly unknown[] {
  const next = list.map(change)
  return next.every((item, index) => item === list[index]) ? list : next
}

function coerceResource(resource: Record<string, unknown>, field: string, malformed: Malformed): Record<string, unknown> {
  const typed = ['apiVersion', 'kind'].reduce((result, key) => coerceText(result, key, field, malformed), resource)
  const metadata = getOwn(typed, 'metadata')
  if (metadata === undefined) return typed
  const coerced = coerceMetadata(metadata, `${field}.metadata`, malformed)
  if (coerced === undefined) {
    const { metadata: _, ...rest } = typed
    return rest
  }
  return JSON.stringify(coerced) === JSON.stringify(metadata) ? typed : { ...typed, metadata: coerced }
}

function coerceText(resource: Record<string, unknown>, key: string, field: string, malformed: Malformed): Record<string, unknown> {
  const value = getOwn(resource, key)
  if (value === undefined || typeof value === 'string') return resource
  if (malformed === 'refuse') throw new EmbeddedTypeError(`${field}.${key}: Invalid value: ${showValue(value)}: must be a string`)
  const { [key]: _, ...rest } = resource
  return rest
}

function coerceMetadata(metadata: unknown, field: string, malformed: Malformed): object | undefined {
  try {
    return decodeMetadata(metadata).metadata
  } catch (error) {
    if (!(error instanceof MetadataTypeError)) throw error
    if (malformed === 'refuse')
      throw new EmbeddedTypeError(`${field}: Invalid value: ${showValue(metadata)}: ${error.message}`, { cause: error })
    return isJsonObject(metadata) ? soundFields(metadata) : undefined
  }
}

/** Well-formed fields. */
function soundFields(metadata: Readonly<Record<string, unknown>>): object {
  const sound: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(metadata)) {
    try {
      Object.assign(sound, decodeMetadata({ [key]: value }).metadata)
    } catch (error) {
      if (!(error instanceof MetadataTypeError)) throw error
    }
  }
  return sound
}
