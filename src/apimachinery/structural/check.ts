import { RE2JS } from 're2js'
import { isJsonObject } from '../own-property.ts'
import { prune } from './prune.ts'
import type { StructuralSchema } from './schema.ts'
import { validateStructural } from './validate.ts'

/** What only the structure of a schema may say, and not a schema inside allOf, anyOf, oneOf or not. */
const structural = [
  'type',
  'description',
  'title',
  'default',
  'nullable',
  'additionalProperties',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
] as const

const unsupported = ['$ref', 'definitions', 'dependencies', 'patternProperties', 'additionalItems', 'id'] as const

type Report = (path: string, why: string) => void

function join(path: string, step: string): string {
  return path === '' ? step : `${path}.${step}`
}

function isFlag(schema: StructuralSchema, key: keyof StructuralSchema): boolean {
  return schema[key] === true
}

function checkPresence(schema: StructuralSchema, path: string, place: string, report: Report): void {
  const typeless = isFlag(schema, 'x-kubernetes-int-or-string') || isFlag(schema, 'x-kubernetes-preserve-unknown-fields')
  if (schema.type === undefined && !typeless) report(join(path, 'type'), `Required value: must not be empty ${place}`)
  if (schema.type !== undefined && isFlag(schema, 'x-kubernetes-int-or-string')) {
    report(join(path, 'type'), `Invalid value: "${schema.type}": must be empty if x-kubernetes-int-or-string is true`)
  }
  for (const key of unsupported) if (Object.hasOwn(schema, key)) report(join(path, key), 'Forbidden: is not supported')
}

function checkCombinations(schema: StructuralSchema, path: string, report: Report): void {
  const { additionalProperties, properties, uniqueItems, type } = schema
  if (uniqueItems === true)
    report(join(path, 'uniqueItems'), 'Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic')
  if (additionalProperties === false) report(join(path, 'additionalProperties'), 'Forbidden: must not be false')
  if (additionalProperties !== undefined && properties !== undefined) {
    report(join(path, 'additionalProperties'), 'Forbidden: additionalProperties and properties are mutual exclusive')
  }
  if (type === 'array' && schema.items === undefined) report(join(path, 'items'), 'Required value: must be specified')
  if (isFlag(schema, 'x-kubernetes-embedded-resource') && type !== 'object') {
    report(join(path, 'type'), 'Invalid value: must be object if x-kubernetes-embedded-resource is true')
  }
}

function checkListType(schema: StructuralSchema, path: string, report: Report): void {
  const listType = schema['x-kubernetes-list-type']
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  if (listType !== undefined && schema.type !== 'array')
    report(join(path, 'type'), 'Invalid value: must be array if x-kubernetes-list-type is set')
  if (listType !== 'map') {
    if (keys.length > 0) report(join(path, 'x-kubernetes-list-map-keys'), 'Forbidden: must be empty unless x-kubernetes-list-type is map')
    return
  }
  if (keys.length === 0)
    report(join(path, 'x-kubernetes-list-map-keys'), 'Required value: must not be empty if x-kubernetes-list-type is map')
  for (const key of keys) {
    const property = schema.items?.properties?.[key]
    const given = property?.default !== undefined || schema.items?.required?.includes(key) === true
    if (property === undefined)
      report(join(path, 'x-kubernetes-list-map-keys'), `Invalid value: "${key}": entries must all be names of item properties`)
    else if (!given)
      report(
        join(path, `items.properties[${key}].default`),
        'Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
      )
  }
}

function checkPattern(schema: StructuralSchema, path: string, report: Report): void {
  if (schema.pattern === undefined) return
  try {
    RE2JS.compile(schema.pattern)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    report(join(path, 'pattern'), `Invalid value: ${JSON.stringify(schema.pattern)}: must be a valid regular expression, but isn't: ${why}`)
  }
}

function checkDefault(schema: StructuralSchema, path: string, report: Report): void {
  if (schema.default === undefined) return
  // A default stands in for a field, so it is judged as the field of an object would be.
  const holder: StructuralSchema = { type: 'object', properties: { default: schema } }
  const value = { default: schema.default }
  for (const field of prune(value, holder).unknown) report(join(path, field), 'Invalid value: must not have unknown fields')
  for (const error of validateStructural(value, holder)) report(join(path, 'default'), error.message)
}

/** Fields that a schema inside allOf, anyOf, oneOf or not speaks about must be there in the structure. */
function checkMirrored(inner: StructuralSchema, outer: StructuralSchema | undefined, path: string, report: Report): void {
  for (const [key, property] of Object.entries(inner.properties ?? {})) {
    const counterpart = outer?.properties?.[key]
    const place = join(path, `properties[${key}]`)
    if (counterpart === undefined) report(place, `Required value: because it is defined in ${place}`)
    checkInner(property, counterpart, place, report)
  }
  if (inner.items !== undefined) checkInner(inner.items, outer?.items, join(path, 'items'), report)
}

function checkInner(inner: StructuralSchema, outer: StructuralSchema | undefined, path: string, report: Report): void {
  const anyType = outer !== undefined && isFlag(outer, 'x-kubernetes-int-or-string')
  for (const key of structural) {
    // The one exception: an int-or-string may spell out its two types.
    if (Object.hasOwn(inner, key) && !(key === 'type' && anyType)) report(join(path, key), 'Forbidden: must be empty to be structural')
  }
  checkPattern(inner, path, report)
  checkMirrored(inner, outer, path, report)
  checkAlternatives(inner, outer, path, report)
}

function checkAlternatives(schema: StructuralSchema, outer: StructuralSchema | undefined, path: string, report: Report): void {
  for (const key of ['allOf', 'anyOf', 'oneOf'] as const) {
    for (const [index, inner] of (schema[key] ?? []).entries()) checkInner(inner, outer, join(path, `${key}[${index}]`), report)
  }
  if (schema.not !== undefined) checkInner(schema.not, outer, join(path, 'not'), report)
}

function checkMetadata(schema: StructuralSchema, path: string, report: Report): void {
  const metadata = schema.properties?.['metadata']
  if (metadata === undefined) return
  const place = join(path, 'properties[metadata]')
  if (metadata.type !== 'object') report(join(place, 'type'), `Invalid value: "${metadata.type ?? ''}": must be object`)
  const others = Object.keys(metadata.properties ?? {}).filter((key) => key !== 'name' && key !== 'generateName')
  if (others.length > 0)
    report(place, 'Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified')
}

function checkNode(schema: StructuralSchema, path: string, place: string, report: Report): void {
  checkPresence(schema, path, place, report)
  checkCombinations(schema, path, report)
  checkListType(schema, path, report)
  checkPattern(schema, path, report)
  checkDefault(schema, path, report)
  checkAlternatives(schema, schema, path, report)
  if (path === '' || isFlag(schema, 'x-kubernetes-embedded-resource')) checkMetadata(schema, path, report)
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    checkNode(property, join(path, `properties[${key}]`), 'for specified object fields', report)
  }
  if (isJsonObject(schema.additionalProperties)) {
    checkNode(schema.additionalProperties, join(path, 'additionalProperties'), 'for specified object fields', report)
  }
  if (schema.items !== undefined) checkNode(schema.items, join(path, 'items'), 'for specified array items', report)
}

/**
 * Why the schema of a CustomResourceDefinition is not structural, as `<path>: <reason>` in Kubernetes' words; paths start at the schema itself. Empty when
 * it is structural.
 */
export function checkStructural(schema: StructuralSchema): readonly string[] {
  const reasons: string[] = []
  const report: Report = (path, why) => {
    reasons.push(`${path}: ${why}`)
  }
  checkNode(schema, '', 'at the root', report)
  if (schema.type !== undefined && schema.type !== 'object') report('type', `Invalid value: "${schema.type}": must be object at the root`)
  return reasons
}
