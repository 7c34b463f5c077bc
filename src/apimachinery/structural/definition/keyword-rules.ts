import type { FieldError } from '#apimachinery/errors.ts'
import { forbiddenValue, invalidValue, requiredValue, unsupportedValue } from '#apimachinery/field-messages.ts'
import type { StructuralSchema } from '../schema.ts'
import { checkListExtensions } from './list-rules.ts'
import { forEachField, forEachItem, forEachJunction, forEachValue, someSchema, type VisitSchema } from './walk-schema.ts'

/** Keywords of JSON schema that Kubernetes knows and does not support. */
const unsupported = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'] as const
const types: readonly string[] = ['array', 'boolean', 'integer', 'number', 'object', 'string']
const metaFields: readonly string[] = ['metadata', 'kind', 'apiVersion']

/** Position of a schema, which decides the keywords that it may use. */
interface Context {
  readonly isRoot: boolean
  readonly insideMeta: boolean
  /** Reason why no default is allowed. */
  readonly noDefault: string | undefined
}

/** Reports whether a schema uses a keyword without structural form. */
export function hasUnsupported(schema: StructuralSchema): boolean {
  return someSchema(
    schema,
    (inner) =>
      Array.isArray(inner.items) ||
      inner['x-kubernetes-preserve-unknown-fields'] === false ||
      unsupported.some((key) => Object.hasOwn(inner, key)),
  )
}

/** Validates the keywords of a schema and of all nested ones, structural or not. */
export function checkKeywords(schema: StructuralSchema, field: string): FieldError[] {
  const errors: FieldError[] = []
  checkNode(schema, field, { isRoot: true, insideMeta: false, noDefault: undefined }, errors)
  return errors
}

const inMap = 'inside additionalProperties applying to object metadata'

function checkNode(schema: StructuralSchema, field: string, context: Context, errors: FieldError[]): void {
  checkOwn(schema, field, context, errors)
  const inner = context.isRoot ? { ...context, isRoot: false } : context
  forEachValue(schema, field, (below, place) =>
    checkNode(below, place, context.insideMeta ? { ...inner, noDefault: inMap } : inner, errors),
  )
  forEachField(schema, field, (below, place, key) => checkNode(below, place, contextOf(schema, key, context, inner), errors))
  const visit: VisitSchema = (below, place) => checkNode(below, place, inner, errors)
  forEachJunction(schema, field, visit)
  forEachItem(schema, field, visit)
  if (schema['x-kubernetes-list-type'] !== undefined || schema['x-kubernetes-list-map-keys'] !== undefined) {
    errors.push(...checkListExtensions(schema, field))
  }
}

function contextOf(schema: StructuralSchema, key: string, context: Context, inner: Context): Context {
  const isMeta = (context.isRoot || schema['x-kubernetes-embedded-resource'] === true) && metaFields.includes(key)
  if (!isMeta) return inner
  return { isRoot: false, insideMeta: true, noDefault: context.isRoot ? `in top-level ${key}` : context.noDefault }
}

function checkOwn(schema: StructuralSchema, field: string, { insideMeta, noDefault }: Context, errors: FieldError[]): void {
  const { type = '', additionalProperties, properties = {}, items } = schema as { type?: string } & Omit<StructuralSchema, 'type'>
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
  if (schema['x-kubernetes-map-type'] !== undefined) errors.push(...checkMapType(schema, field))
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
