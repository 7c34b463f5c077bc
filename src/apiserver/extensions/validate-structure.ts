import type { FieldError } from '#apimachinery/errors.ts'
import { invalidValue } from '#apimachinery/field-messages.ts'
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { forbidden, required } from './field-faults.ts'

/** What a schema may not contain, because pruning and defaulting could not follow it. */
const banned: readonly string[] = ['$ref', 'definitions', 'dependencies', 'id', 'patternProperties', 'additionalItems']
/** What belongs to the structure, and so not under allOf, anyOf, oneOf or not. */
const structural: readonly (keyof StructuralSchema)[] = [
  'type',
  'default',
  'additionalProperties',
  'nullable',
  'description',
  'title',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
]

/** What keeps a schema from being structural: every value has exactly one type that its place in the schema tells. */
export function validateStructure(root: StructuralSchema, field: string): FieldError[] {
  return [
    ...(root.type === 'object' ? [] : [invalidValue(`${field}.type`, root.type ?? '', 'must be object at the root')]),
    ...validateNode(root, field, true),
  ]
}

function validateNode(schema: StructuralSchema, field: string, isRoot: boolean): FieldError[] {
  const { properties = {}, items, additionalProperties } = schema
  return [
    ...validateType(schema, field),
    ...banned.filter((key) => Object.hasOwn(schema, key)).map((key) => forbidden(`${field}.${key}`, `${key} is not supported`)),
    ...(schema.uniqueItems === true
      ? [forbidden(`${field}.uniqueItems`, 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic')]
      : []),
    ...(additionalProperties === false ? [forbidden(`${field}.additionalProperties`, 'additionalProperties cannot be set to false')] : []),
    ...(additionalProperties !== undefined && Object.keys(properties).length > 0
      ? [forbidden(`${field}.additionalProperties`, 'additionalProperties and properties are mutual exclusive')]
      : []),
    ...(Array.isArray(items) ? [forbidden(`${field}.items`, 'items must be a schema object and not an array')] : []),
    ...validateLists(schema, field),
    ...(isRoot ? validateRootMetadata(properties['metadata'], `${field}.properties[metadata]`) : []),
    ...Object.entries(properties).flatMap(([key, property]) => validateNode(property, `${field}.properties[${key}]`, false)),
    ...(typeof additionalProperties === 'object' ? validateNode(additionalProperties, `${field}.additionalProperties`, false) : []),
    ...(items === undefined || Array.isArray(items) ? [] : validateNode(items, `${field}.items`, false)),
    ...validateLogic(schema, field),
  ]
}

function validateType(schema: StructuralSchema, field: string): FieldError[] {
  const free = schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true
  return (schema.type === undefined || (schema.type as string) === '') && !free
    ? [required(`${field}.type`, 'must not be empty for specified object fields')]
    : []
}

function validateLists(schema: StructuralSchema, field: string): FieldError[] {
  const listType = schema['x-kubernetes-list-type']
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  if (schema.type === 'array' && schema.items === undefined) return [required(`${field}.items`, 'must be specified')]
  if (listType === undefined) return []
  if (schema.type !== 'array')
    return [invalidValue(`${field}.type`, schema.type ?? '', 'must be array if x-kubernetes-list-type is specified')]
  if (listType !== 'map') return []
  if (keys.length === 0) return [required(`${field}.x-kubernetes-list-map-keys`, 'must not be empty if x-kubernetes-list-type is map')]
  const known = schema.items?.properties ?? {}
  return keys
    .filter((key) => !Object.hasOwn(known, key))
    .map((key) => invalidValue(`${field}.x-kubernetes-list-map-keys`, key, 'entries must all be names of item properties'))
}

function validateRootMetadata(metadata: StructuralSchema | undefined, field: string): FieldError[] {
  const allowed = new Set(['name', 'generateName'])
  return Object.keys(metadata?.properties ?? {})
    .filter((key) => !allowed.has(key))
    .map((key) =>
      forbidden(
        `${field}.properties[${key}]`,
        'must not specify anything other than name and generateName, but metadata is implicitly specified',
      ),
    )
}

/** Conditions on values are welcome in logic; anything that shapes the value is not, except the well-known form of int-or-string. */
function validateLogic(schema: StructuralSchema, field: string): FieldError[] {
  const branches: [string, StructuralSchema][] = [
    ...(schema.allOf ?? []).map((branch, index): [string, StructuralSchema] => [`${field}.allOf[${index}]`, branch]),
    ...(schema.anyOf ?? []).map((branch, index): [string, StructuralSchema] => [`${field}.anyOf[${index}]`, branch]),
    ...(schema.oneOf ?? []).map((branch, index): [string, StructuralSchema] => [`${field}.oneOf[${index}]`, branch]),
    ...(schema.not === undefined ? [] : [[`${field}.not`, schema.not] satisfies [string, StructuralSchema]]),
  ]
  const isIntOrString = schema['x-kubernetes-int-or-string'] === true
  return branches.flatMap(([path, branch]) => validateBranch(branch, path, isIntOrString))
}

function validateBranch(branch: StructuralSchema, field: string, allowsType: boolean): FieldError[] {
  const { properties = {}, items } = branch
  return [
    ...structural
      .filter((key) => branch[key] !== undefined && !(allowsType && key === 'type'))
      .map((key) => forbidden(`${field}.${key}`, 'must be empty to be structural')),
    ...Object.entries(properties).flatMap(([key, property]) => validateBranch(property, `${field}.properties[${key}]`, false)),
    ...(items === undefined ? [] : validateBranch(items, `${field}.items`, false)),
    ...(branch.allOf ?? []).flatMap((inner, index) => validateBranch(inner, `${field}.allOf[${index}]`, allowsType)),
    ...(branch.anyOf ?? []).flatMap((inner, index) => validateBranch(inner, `${field}.anyOf[${index}]`, allowsType)),
    ...(branch.oneOf ?? []).flatMap((inner, index) => validateBranch(inner, `${field}.oneOf[${index}]`, allowsType)),
    ...(branch.not === undefined ? [] : validateBranch(branch.not, `${field}.not`, false)),
  ]
}
