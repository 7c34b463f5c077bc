import { RE2JS } from 're2js'
import type { FieldError } from '#apimachinery/errors.ts'
import { forbiddenValue, invalidValue, requiredValue } from '#apimachinery/field-messages.ts'
import type { StructuralSchema } from '../schema.ts'
import { junctions, structuralChildren } from './walk-schema.ts'

type Level = 'root' | 'item' | 'field'

/** What only the structure of a schema may say, and not a schema inside allOf, anyOf, oneOf or not; and how it is told. */
const structuralKeywords: readonly [keyof StructuralSchema | 'externalDocs', 'empty' | 'undefined' | 'false'][] = [
  ['additionalProperties', 'undefined'],
  ['default', 'undefined'],
  ['title', 'empty'],
  ['description', 'empty'],
  ['nullable', 'false'],
  ['externalDocs', 'undefined'],
  ['x-kubernetes-preserve-unknown-fields', 'false'],
  ['x-kubernetes-embedded-resource', 'false'],
  ['x-kubernetes-int-or-string', 'false'],
  ['x-kubernetes-list-map-keys', 'empty'],
  ['x-kubernetes-list-type', 'undefined'],
  ['x-kubernetes-map-type', 'undefined'],
  ['x-kubernetes-validations', 'empty'],
]

/**
 * What keeps a schema from being structural, in Kubernetes' words and order: every value must have exactly one type that its place in the schema tells, and
 * whatever restricts values further may only speak of what is declared.
 */
export function checkStructure(schema: StructuralSchema, field: string): FieldError[] {
  const errors = [...checkNode(schema, 'root', field), ...checkCompleteness(schema, field)]
  return errors.toSorted((a, b) => compare(`${a.field}: ${a.message}`, `${b.field}: ${b.message}`))
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function checkNode(schema: StructuralSchema, level: Level, field: string): FieldError[] {
  const { fields, values, items } = structuralChildren(schema, field)
  const isResource = level === 'root' || schema['x-kubernetes-embedded-resource'] === true
  return [
    ...(schema.type === 'array' && schema.items === undefined ? [requiredValue(`${field}.items`, 'must be specified')] : []),
    ...items.flatMap((place) => checkNode(place.schema, 'item', place.field)),
    ...fields.flatMap(([, place]) => checkNode(place.schema, 'field', place.field)),
    ...(level === 'root' && schema.additionalProperties !== undefined && schema.additionalProperties !== false
      ? [forbiddenValue(`${field}.additionalProperties`, 'must not be used at the root')]
      : []),
    ...values.flatMap((place) => checkNode(place.schema, 'field', place.field)),
    ...checkExtensions(schema, field),
    ...checkRestrictions(schema, field),
    ...checkType(schema, level, field),
    ...(isResource ? checkResourceFields(schema, level, field) : []),
    ...checkEmbedded(schema, field),
  ]
}

function isFlag(schema: StructuralSchema, key: keyof StructuralSchema): boolean {
  return schema[key] === true
}

function checkExtensions(schema: StructuralSchema, field: string): FieldError[] {
  if (!isFlag(schema, 'x-kubernetes-int-or-string')) return []
  return (['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const)
    .filter((key) => isFlag(schema, key))
    .map((key) => invalidValue(`${field}.${key}`, true, 'must be false if x-kubernetes-int-or-string is true'))
}

const missingType: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
}

function checkType(schema: StructuralSchema, level: Level, field: string): FieldError[] {
  const { type = '' } = schema as { type?: string }
  const place = `${field}.type`
  if (isFlag(schema, 'x-kubernetes-embedded-resource') && type !== 'object') {
    const why = 'must be object if x-kubernetes-embedded-resource is true'
    return [type === '' ? requiredValue(place, why) : invalidValue(place, type, why)]
  }
  const typeless = isFlag(schema, 'x-kubernetes-int-or-string') || isFlag(schema, 'x-kubernetes-preserve-unknown-fields')
  if (type === '') return typeless ? [] : [requiredValue(place, missingType[level])]
  return level === 'root' && type !== 'object' ? [invalidValue(place, type, 'must be object at the root')] : []
}

function checkEmbedded(schema: StructuralSchema, field: string): FieldError[] {
  if (!isFlag(schema, 'x-kubernetes-embedded-resource')) return []
  const isOpen = isFlag(schema, 'x-kubernetes-preserve-unknown-fields')
  return [
    ...(schema.additionalProperties === undefined
      ? []
      : [forbiddenValue(`${field}.additionalProperties`, 'must not be used if x-kubernetes-embedded-resource is set')]),
    ...(isOpen || Object.keys(schema.properties ?? {}).length > 0
      ? []
      : [
          requiredValue(
            `${field}.properties`,
            'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
          ),
        ]),
  ]
}

/** The server knows what apiVersion, kind and metadata are: a schema may repeat it, and restrict names. */
function checkResourceFields({ properties = {} }: StructuralSchema, level: Level, field: string): FieldError[] {
  const place = (key: string): string => `${field}.properties[${key}]`
  const texts = ['kind', 'apiVersion'].flatMap((key) => {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined
    return property === undefined || property.type === 'string'
      ? []
      : [invalidValue(`${place(key)}.type`, property.type ?? '', 'must be string')]
  })
  const metadata = Object.hasOwn(properties, 'metadata') ? properties['metadata'] : undefined
  if (metadata === undefined) return texts
  const isObject = metadata.type === 'object'
  return [
    ...texts,
    ...(isObject ? [] : [invalidValue(`${place('metadata')}.type`, metadata.type ?? '', 'must be object')]),
    ...(level === 'root' && restrictsMoreThanNames(metadata)
      ? [
          forbiddenValue(
            place('metadata'),
            'must not specify anything other than name and generateName, but metadata is implicitly specified',
          ),
        ]
      : []),
  ]
}

function restrictsMoreThanNames({ type: _type, default: _default, properties = {}, ...rest }: StructuralSchema): boolean {
  return Object.keys(rest).length > 0 || Object.keys(properties).some((key) => key !== 'name' && key !== 'generateName')
}

function isIntOrString(schemas: readonly StructuralSchema[] | undefined): boolean {
  return JSON.stringify(schemas) === '[{"type":"integer"},{"type":"string"}]'
}

/** Checks what restricts a value: its pattern, and the schemas in allOf, anyOf, oneOf and not. */
function checkRestrictions(schema: StructuralSchema, field: string): FieldError[] {
  // An int-or-string may spell out its two types, in one of two ways.
  const spelledOut = isIntOrString(schema.anyOf)
    ? `${field}.anyOf[`
    : isIntOrString(schema.allOf?.[0]?.anyOf)
      ? `${field}.allOf[0].anyOf[`
      : undefined
  return [...checkJunctions(schema, field, spelledOut), ...checkPattern(schema, field)]
}

function checkJunctions(schema: StructuralSchema, field: string, spelledOut: string | undefined): FieldError[] {
  return junctions(schema, field)
    .filter((place) => spelledOut === undefined || !place.field.startsWith(spelledOut))
    .flatMap((place) => checkRestriction(place.schema, place.field, spelledOut))
}

function checkPattern({ pattern = '' }: StructuralSchema, field: string): FieldError[] {
  if (pattern === '') return []
  try {
    RE2JS.compile(pattern)
    return []
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return [invalidValue(`${field}.pattern`, pattern, `must be a valid regular expression, but isn't: ${why}`)]
  }
}

function isSaid(value: unknown): boolean {
  return value !== undefined && value !== false && value !== '' && !(Array.isArray(value) && value.length === 0)
}

function checkRestriction(schema: StructuralSchema, field: string, spelledOut: string | undefined): FieldError[] {
  const { fields, items } = structuralChildren(schema, field)
  const said: Readonly<Record<string, unknown>> = { ...schema }
  return [
    ...checkJunctions(schema, field, spelledOut),
    ...checkPattern(schema, field),
    ...items.flatMap((place) => checkRestriction(place.schema, place.field, undefined)),
    ...fields.flatMap(([, place]) => checkRestriction(place.schema, place.field, undefined)),
    ...(isSaid(said['type']) ? [forbiddenValue(`${field}.type`, 'must be empty to be structural')] : []),
    ...structuralKeywords
      .filter(([key, wanted]) => (wanted === 'undefined' ? said[key] !== undefined && said[key] !== false : isSaid(said[key])))
      .map(([key, wanted]) => forbiddenValue(`${field}.${key}`, `must be ${wanted} to be structural`)),
    ...(Object.hasOwn(schema.properties ?? {}, 'metadata')
      ? [forbiddenValue(`${field}.properties[metadata]`, 'must not be specified in a nested context')]
      : []),
  ]
}

/** Every field or list that a restriction of the root speaks of must be declared. Kubernetes does not look at those further inside. */
function checkCompleteness(schema: StructuralSchema, field: string): FieldError[] {
  return junctions(schema, field).flatMap((place) => checkDeclared(place.schema, schema, field, place.field))
}

function checkDeclared(restriction: StructuralSchema, declared: StructuralSchema | undefined, field: string, place: string): FieldError[] {
  if (declared === undefined) return [requiredValue(field, `because it is defined in ${place}`)]
  const { fields, items } = structuralChildren(restriction, place)
  return [
    ...junctions(restriction, place).flatMap((inner) => checkDeclared(inner.schema, declared, field, inner.field)),
    ...items.flatMap((inner) => checkDeclared(inner.schema, declared.items, `${field}.items`, inner.field)),
    ...fields.flatMap(([key, inner]) => {
      const property = Object.hasOwn(declared.properties ?? {}, key) ? declared.properties?.[key] : undefined
      return checkDeclared(inner.schema, property, `${field}.properties[${key}]`, inner.field)
    }),
  ]
}
