import { isJsonObject } from '#apimachinery/own-property.ts'
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'

/**
 * A field of a built-in kind has a value of the wrong type. The message is that of Go's decoder.
 */
export class FieldTypeError extends Error {
  override readonly name = 'FieldTypeError'
  /** Go's message for a value from a map, as in a strategic merge patch. */
  readonly conversion: string

  constructor(message: string, conversion: string) {
    super(message)
    this.conversion = conversion
  }
}

type Check = (value: unknown, path: string) => void

const compiled = new WeakMap<StructuralSchema, Check | undefined>()

/**
 * Checks the types of a built-in kind, which kube-apiserver decodes into structs before validation.
 * Metadata is decoded separately.
 * @throws FieldTypeError for the first wrong value
 */
export function checkFieldTypes(object: Readonly<Record<string, unknown>>, schema: StructuralSchema, kind: string): void {
  let check = compiled.get(schema)
  if (check === undefined) {
    const { metadata: _, ...properties } = schema.properties ?? {}
    check = compileFields({ ...schema, properties }, kind)
    compiled.set(schema, check)
  }
  check?.(object, '')
}

/** Structs whose name differs from the field's. */
const structs: Readonly<Record<string, string>> = {
  template: 'PodTemplateSpec',
  initContainers: 'Container',
  ephemeralContainers: 'EphemeralContainer',
  env: 'EnvVar',
  resources: 'ResourceRequirements',
  selector: 'LabelSelector',
  'Container.ports': 'ContainerPort',
  'ServiceSpec.ports': 'ServicePort',
  'ServiceSpec.selector': 'map[string]string',
}

function structOf(outer: string, key: string): string {
  const known = structs[`${outer}.${key}`] ?? structs[key]
  if (known !== undefined) return known
  if (key === 'spec' || key === 'status') return `${outer.replace(/TemplateSpec$/, '')}${key === 'spec' ? 'Spec' : 'Status'}`
  const singular = key.replace(/(?<!s)s$/, '')
  return `${singular.charAt(0).toUpperCase()}${singular.slice(1)}`
}

/** Name of the type in Go. */
function goType(schema: StructuralSchema, struct: string): string {
  if (schema['x-kubernetes-int-or-string'] === true) return 'intstr.IntOrString'
  const { type, items, additionalProperties } = schema
  if (type === 'boolean') return 'bool'
  if (type === 'number') return 'float64'
  if (type === 'integer') return schema.format === 'int32' ? 'int32' : 'int64'
  if (type === 'array') return `[]${items === undefined ? 'interface {}' : goType(items, struct)}`
  if (type !== 'object') return 'string'
  return typeof additionalProperties === 'object' ? `map[string]${goType(additionalProperties, struct)}` : `v1.${struct}`
}

/** Message of Kubernetes' map converter. */
function conversionError(schema: StructuralSchema, value: unknown): string {
  const found = Array.isArray(value)
    ? 'slice'
    : typeof value === 'object'
      ? 'map'
      : typeof value === 'boolean'
        ? 'bool'
        : typeof value === 'string'
          ? 'string'
          : Number.isInteger(value)
            ? 'int64'
            : 'float64'
  const wanted = goType(schema, '')
  if (wanted.startsWith('map[')) return `cannot restore map from ${found}`
  if (wanted.startsWith('[]')) return `cannot restore slice from ${found}`
  if (wanted.startsWith('v1.')) return `cannot restore struct from: ${found}`
  // Go can convert between numbers, and a number to a string of one character, which changes the
  // message.
  const convertible = typeof value === 'number' && wanted !== 'bool'
  return convertible ? `cannot convert ${found} to ${wanted}` : `unrecognized type: ${wanted}`
}

function jsonType(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'bool'
  return typeof value
}

const integerRanges: Readonly<Record<string, number>> = { int32: 2 ** 31, int64: 2 ** 63 }

function fits(schema: StructuralSchema, value: unknown): boolean {
  if (schema['x-kubernetes-int-or-string'] === true) return typeof value === 'string' || typeof value === 'number'
  if (schema.type === 'array') return Array.isArray(value)
  if (schema.type === 'object') return isJsonObject(value)
  if (schema.type !== 'integer') return typeof value === schema.type
  const range = integerRanges[schema.format ?? 'int64'] ?? 2 ** 63
  return Number.isInteger(value) && Number(value) >= -range && Number(value) < range
}

function compileValue(schema: StructuralSchema, outer: string, key: string): Check | undefined {
  const typeless = schema.type === undefined && schema['x-kubernetes-int-or-string'] !== true
  if (typeless) return undefined
  const struct = structOf(outer, key)
  const inner =
    schema.type === 'array'
      ? compileItems(schema, outer, key)
      : schema.type === 'object'
        ? compileFields(schema, schema.properties === undefined ? outer : struct)
        : undefined
  return (value, path) => {
    // Null is the same as absent.
    if (value === null || value === undefined) return
    if (!fits(schema, value)) {
      const found = typeof value === 'number' && schema.type === 'integer' ? `number ${value}` : jsonType(value)
      const message = `json: cannot unmarshal ${found} into Go struct field ${outer}.${path} of type ${goType(schema, struct)}`
      throw new FieldTypeError(message, conversionError(schema, value))
    }
    inner?.(value, path)
  }
}

function compileItems({ items }: StructuralSchema, outer: string, key: string): Check | undefined {
  const item = items === undefined ? undefined : compileValue(items, outer, key)
  if (item === undefined) return undefined
  return (value, path) => {
    for (const each of value as readonly unknown[]) item(each, path)
  }
}

function compileFields({ properties = {}, additionalProperties }: StructuralSchema, struct: string): Check | undefined {
  const fields = new Map<string, Check>()
  for (const [key, property] of Object.entries(properties)) {
    const check = compileValue(property, struct, key)
    if (check !== undefined) fields.set(key, check)
  }
  const others = typeof additionalProperties === 'object' ? compileValue(additionalProperties, struct, '') : undefined
  if (fields.size === 0 && others === undefined) return undefined
  return (value, path) => {
    const object = value as Readonly<Record<string, unknown>>
    for (const key of Object.keys(object)) {
      const check = fields.get(key)
      if (check !== undefined) check(object[key], path === '' ? key : `${path}.${key}`)
      else others?.(object[key], path)
    }
  }
}
