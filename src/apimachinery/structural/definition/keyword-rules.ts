import type { FieldError } from '#apimachinery/errors.ts'
import { forbiddenValue, invalidValue, requiredValue, unsupportedValue } from '#apimachinery/field-messages.ts'
import type { StructuralSchema } from '../schema.ts'
import { checkListExtensions } from './list-rules.ts'
import { everySchema, junctions, structuralChildren } from './walk-schema.ts'

/** Keywords of JSON schema that Kubernetes knows and does not support. */
const unsupported = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'] as const
const types: readonly string[] = ['array', 'boolean', 'integer', 'number', 'object', 'string']
const metaFields: readonly string[] = ['metadata', 'kind', 'apiVersion']

/** Where a schema stands: what it may say depends on it. */
interface Context {
  readonly isRoot: boolean
  readonly insideMeta: boolean
  /** Why there may be no default. */
  readonly noDefault: string | undefined
}

/** Whether something in a schema says what has no structural form at all. */
export function hasUnsupported(schema: StructuralSchema): boolean {
  return everySchema(schema, '').some(
    ({ schema: inner }) =>
      Array.isArray(inner.items) ||
      inner['x-kubernetes-preserve-unknown-fields'] === false ||
      unsupported.some((key) => Object.hasOwn(inner, key)),
  )
}

/** What keywords of a schema, and of all in it, may not say, whether it is structural or not. */
export function checkKeywords(schema: StructuralSchema, field: string): FieldError[] {
  return checkNode(schema, field, { isRoot: true, insideMeta: false, noDefault: undefined })
}

function checkNode(schema: StructuralSchema, field: string, context: Context): FieldError[] {
  const inner: Context = { ...context, isRoot: false }
  const { fields, values, items } = structuralChildren(schema, field)
  const inMap = context.insideMeta ? { ...inner, noDefault: 'inside additionalProperties applying to object metadata' } : inner
  return [
    ...checkOwn(schema, field, context),
    ...values.flatMap((place) => checkNode(place.schema, place.field, inMap)),
    ...fields.flatMap(([key, place]) => checkNode(place.schema, place.field, contextOf(schema, key, context))),
    ...junctions(schema, field).flatMap((place) => checkNode(place.schema, place.field, inner)),
    ...items.flatMap((place) => checkNode(place.schema, place.field, inner)),
    ...checkListExtensions(schema, field),
  ]
}

function contextOf(schema: StructuralSchema, key: string, context: Context): Context {
  const isMeta = (context.isRoot || schema['x-kubernetes-embedded-resource'] === true) && metaFields.includes(key)
  return {
    isRoot: false,
    insideMeta: context.insideMeta || isMeta,
    noDefault: isMeta && context.isRoot ? `in top-level ${key}` : context.noDefault,
  }
}

function checkOwn(schema: StructuralSchema, field: string, { insideMeta, noDefault }: Context): FieldError[] {
  const { type = '', additionalProperties, properties = {}, items } = schema as { type?: string } & Omit<StructuralSchema, 'type'>
  const errors: FieldError[] = []
  if (type !== '' && !types.includes(type)) errors.push(unsupportedValue(`${field}.type`, type, types))
  if (schema.default !== undefined && noDefault !== undefined)
    errors.push(forbiddenValue(`${field}.default`, `must not be set ${noDefault}`))
  for (const key of unsupported) {
    if (Object.hasOwn(schema, key)) errors.push(forbiddenValue(`${field}.${key}`, `${key} is not supported`))
  }
  if (type === 'null') errors.push(forbiddenValue(`${field}.type`, 'type cannot be set to null, use nullable as an alternative'))
  if (Array.isArray(items)) errors.push(forbiddenValue(`${field}.items`, 'items must be a schema object and not an array'))
  if (insideMeta && schema['x-kubernetes-embedded-resource'] === true) {
    errors.push(forbiddenValue(`${field}.x-kubernetes-embedded-resource`, 'must not be used inside of resource meta'))
  }
  if (schema.uniqueItems === true) {
    errors.push(forbiddenValue(`${field}.uniqueItems`, 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic'))
  }
  if (additionalProperties !== undefined && additionalProperties !== true && Object.keys(properties).length > 0) {
    errors.push(forbiddenValue(`${field}.additionalProperties`, 'additionalProperties and properties are mutual exclusive'))
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    errors.push(invalidValue(`${field}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined'))
  }
  return [...errors, ...checkMapType(schema, field)]
}

function checkMapType(schema: StructuralSchema, field: string): FieldError[] {
  const mapType = schema['x-kubernetes-map-type']
  if (mapType === undefined) return []
  const why = 'must be object if x-kubernetes-map-type is specified'
  const wrongType = schema.type === undefined ? requiredValue(`${field}.type`, why) : invalidValue(`${field}.type`, schema.type, why)
  return [
    ...(schema.type === 'object' ? [] : [wrongType]),
    ...(['atomic', 'granular'].includes(mapType)
      ? []
      : [unsupportedValue(`${field}.x-kubernetes-map-type`, mapType, ['atomic', 'granular'])]),
  ]
}
