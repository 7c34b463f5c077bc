import type { FieldError } from '#apimachinery/errors.ts'
import { isJsonObject, setOwnInto } from '#apimachinery/own-property.ts'
import type { StructuralSchema } from '../schema.ts'

/** Type of a schema keyword. */
type Form =
  | 'any'
  | 'boolean'
  | 'integer'
  | 'list'
  | 'number'
  | 'object'
  | 'objects'
  | 'schema'
  | 'schemaMap'
  | 'schemaOrFlag'
  | 'schemaOrList'
  | 'schemas'
  | 'string'
  | 'strings'

/**
 * Every keyword of JSONSchemaProps, also those that are refused later: a client must hear why, not
 * find them gone.
 */
const keywords: ReadonlyMap<string, Form> = new Map<string, Form>([
  ['id', 'string'],
  ['$schema', 'string'],
  ['$ref', 'string'],
  ['description', 'string'],
  ['type', 'string'],
  ['format', 'string'],
  ['title', 'string'],
  ['default', 'any'],
  ['maximum', 'number'],
  ['exclusiveMaximum', 'boolean'],
  ['minimum', 'number'],
  ['exclusiveMinimum', 'boolean'],
  ['maxLength', 'integer'],
  ['minLength', 'integer'],
  ['pattern', 'string'],
  ['maxItems', 'integer'],
  ['minItems', 'integer'],
  ['uniqueItems', 'boolean'],
  ['multipleOf', 'number'],
  ['enum', 'list'],
  ['maxProperties', 'integer'],
  ['minProperties', 'integer'],
  ['required', 'strings'],
  ['items', 'schemaOrList'],
  ['allOf', 'schemas'],
  ['oneOf', 'schemas'],
  ['anyOf', 'schemas'],
  ['not', 'schema'],
  ['properties', 'schemaMap'],
  ['additionalProperties', 'schemaOrFlag'],
  ['patternProperties', 'object'],
  ['dependencies', 'object'],
  ['additionalItems', 'schemaOrFlag'],
  ['definitions', 'object'],
  ['externalDocs', 'object'],
  ['example', 'any'],
  ['nullable', 'boolean'],
  ['x-kubernetes-preserve-unknown-fields', 'boolean'],
  ['x-kubernetes-embedded-resource', 'boolean'],
  ['x-kubernetes-int-or-string', 'boolean'],
  ['x-kubernetes-list-map-keys', 'strings'],
  ['x-kubernetes-list-type', 'string'],
  ['x-kubernetes-map-type', 'string'],
  ['x-kubernetes-validations', 'objects'],
])

/** A schema in its canonical form, and where it has none. */
export interface DecodedSchema {
  readonly schema: StructuralSchema
  readonly faults: readonly FieldError[]
}

/**
 * Decodes a schema from a client: unknown keywords and null keywords are dropped, a keyword of a
 * wrong type is an error. In the result every keyword has its declared type, so that no later code
 * has to check.
 */
export function decodeSchema(value: unknown, field: string): DecodedSchema {
  const faults: FieldError[] = []
  return { schema: decode(value, field, faults) as StructuralSchema, faults }
}

function wrong(faults: FieldError[], field: string, wanted: string, value: unknown): undefined {
  const found = Array.isArray(value) ? 'array' : typeof value
  const message = `Invalid value: "${found}": ${field} in body must be of type ${wanted}: "${found}"`
  faults.push({ reason: 'FieldValueTypeInvalid', field, message })
  return undefined
}

function decode(value: unknown, field: string, faults: FieldError[]): Record<string, unknown> {
  if (!isJsonObject(value)) {
    wrong(faults, field, 'object', value)
    return {}
  }
  const schema: Record<string, unknown> = {}
  for (const [key, item] of Object.entries(value)) {
    const form = keywords.get(key)
    // Only for `default` null is a value.
    if (form === undefined || (item === null && key !== 'default')) continue
    const decoded = decodeKeyword(form, item, `${field}.${key}`, faults)
    if (decoded !== undefined) schema[key] = decoded
  }
  return schema
}

function decodeKeyword(form: Form, value: unknown, field: string, faults: FieldError[]): unknown {
  switch (form) {
    case 'any':
      return value
    case 'number':
      // Kubernetes holds bounds as doubles.
      return typeof value === 'bigint' ? Number(value) : typeof value === 'number' ? value : wrong(faults, field, form, value)
    case 'boolean':
    case 'string':
      return typeof value === form ? value : wrong(faults, field, form, value)
    case 'integer':
      return Number.isSafeInteger(value) ? value : wrong(faults, field, 'integer', value)
    case 'list':
      return Array.isArray(value) ? value : wrong(faults, field, 'array', value)
    case 'object':
      return isJsonObject(value) ? value : wrong(faults, field, 'object', value)
    case 'strings':
      return decodeList(value, field, faults, (item, place) => (typeof item === 'string' ? item : wrong(faults, place, 'string', item)))
    case 'objects':
      return decodeList(value, field, faults, (item, place) => (isJsonObject(item) ? item : wrong(faults, place, 'object', item)))
    case 'schema':
      return decode(value, field, faults)
    case 'schemas':
      return decodeList(value, field, faults, (item, place) => decode(item, place, faults))
    case 'schemaMap':
      return decodeMap(value, field, faults)
    case 'schemaOrFlag':
      return typeof value === 'boolean' ? value : decode(value, field, faults)
    case 'schemaOrList':
      return Array.isArray(value) ? value : decode(value, field, faults)
  }
}

function decodeList(
  value: unknown,
  field: string,
  faults: FieldError[],
  decodeItem: (item: unknown, field: string) => unknown,
): unknown[] | undefined {
  if (!Array.isArray(value)) return wrong(faults, field, 'array', value)
  return value.map((item, index) => decodeItem(item, `${field}[${index}]`))
}

function decodeMap(value: unknown, field: string, faults: FieldError[]): Record<string, unknown> | undefined {
  if (!isJsonObject(value)) return wrong(faults, field, 'object', value)
  const map: Record<string, unknown> = {}
  for (const [key, item] of Object.entries(value)) setOwnInto(map, key, decode(item ?? {}, `${field}[${key}]`, faults))
  return map
}
