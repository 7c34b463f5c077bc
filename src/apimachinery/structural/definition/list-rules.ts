import type { FieldError } from '#apimachinery/errors.ts'
import { forbiddenValue, invalidValue, requiredValue, unsupportedValue } from '#apimachinery/field-messages.ts'
import type { StructuralSchema } from '../schema.ts'

const listTypes: readonly string[] = ['atomic', 'set', 'map']

/** Validates the list type and the map keys of a schema. */
export function checkListExtensions(schema: StructuralSchema, field: string): FieldError[] {
  const listType: string | undefined = schema['x-kubernetes-list-type']
  return [
    ...(listType === undefined ? [] : checkListType(schema, listType, field)),
    ...((schema['x-kubernetes-list-map-keys'] ?? []).length === 0 ? [] : checkHasKeys(listType, field)),
    ...(listType === 'map' ? checkMap(schema, field) : []),
    ...(listType === 'map' || listType === 'set' ? checkItems(schema, listType, field) : []),
  ]
}

function checkListType(schema: StructuralSchema, listType: string, field: string): FieldError[] {
  const why = 'must be array if x-kubernetes-list-type is specified'
  const known = listTypes.includes(listType) ? [] : [unsupportedValue(`${field}.x-kubernetes-list-type`, listType, listTypes)]
  if (schema.type === undefined) return [requiredValue(`${field}.type`, why), ...known]
  if (schema.type !== 'array') return [invalidValue(`${field}.type`, schema.type, why), ...known]
  return [...(listType === 'set' ? checkSet(schema, field) : []), ...known]
}

/** Items of a set are compared as a whole. */
function checkSet({ items }: StructuralSchema, field: string): FieldError[] {
  if (items === undefined || Array.isArray(items)) return []
  const why = 'must be atomic as item of a list with x-kubernetes-list-type=set'
  const { 'x-kubernetes-list-type': itemList, 'x-kubernetes-map-type': itemMap } = items
  if (items.type === 'array' && itemList !== undefined && itemList !== 'atomic') {
    return [invalidValue(`${field}.items.x-kubernetes-list-type`, itemList, why)]
  }
  if (items.type === 'object' && itemMap !== 'atomic') return [invalidValue(`${field}.items.x-kubernetes-map-type`, itemMap, why)]
  return []
}

function checkHasKeys(listType: string | undefined, field: string): FieldError[] {
  const why = 'must be map if x-kubernetes-list-map-keys is non-empty'
  if (listType === undefined) return [requiredValue(`${field}.x-kubernetes-list-type`, why)]
  return listType === 'map' ? [] : [invalidValue(`${field}.x-kubernetes-list-type`, listType, why)]
}

function checkMap(schema: StructuralSchema, field: string): FieldError[] {
  const { items } = schema
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  const missing =
    keys.length === 0 ? [requiredValue(`${field}.x-kubernetes-list-map-keys`, 'must not be empty if x-kubernetes-list-type is map')] : []
  if (items === undefined) return [...missing, requiredValue(`${field}.items`, 'must have a schema if x-kubernetes-list-type is map')]
  if (Array.isArray(items)) {
    return [...missing, invalidValue(`${field}.items`, items, 'must only have a single schema if x-kubernetes-list-type is map')]
  }
  if (items.type !== 'object') {
    return [
      ...missing,
      invalidValue(`${field}.items.type`, items.type ?? '', "must be object if parent array's x-kubernetes-list-type is map"),
    ]
  }
  return [...missing, ...keys.flatMap((key, index) => checkKey(items, keys, index, key, field))]
}

function checkKey(items: StructuralSchema, keys: readonly string[], index: number, key: string, field: string): FieldError[] {
  const keysField = `${field}.x-kubernetes-list-map-keys`
  const property = Object.hasOwn(items.properties ?? {}, key) ? items.properties?.[key] : undefined
  const errors: FieldError[] = []
  if (property === undefined) errors.push(invalidValue(keysField, keys, 'entries must all be names of item properties'))
  else if (property.type === 'array' || property.type === 'object') {
    const why = "must be a scalar type if parent array's x-kubernetes-list-type is map"
    errors.push(invalidValue(`${field}.items.properties[${key}].type`, property.type, why))
  }
  if (keys.indexOf(key) < index) errors.push(invalidValue(keysField, keys, 'must not contain duplicate entries'))
  return errors
}

/** Requires `items` and the map keys. */
function checkItems(schema: StructuralSchema, listType: string, field: string): FieldError[] {
  const { items } = schema
  if (items === undefined || Array.isArray(items)) return []
  const errors: FieldError[] = []
  if (items.nullable === true) {
    errors.push(forbiddenValue(`${field}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`))
  }
  for (const key of listType === 'map' ? (schema['x-kubernetes-list-map-keys'] ?? []) : []) {
    const property = Object.hasOwn(items.properties ?? {}, key) ? items.properties?.[key] : undefined
    if (property === undefined) continue
    const place = `${field}.items.properties[${key}]`
    if (items.required?.includes(key) !== true && property.default === undefined) {
      const why = 'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property'
      errors.push(requiredValue(`${place}.default`, why))
    }
    if (property.nullable === true) {
      errors.push(forbiddenValue(`${place}.nullable`, 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable'))
    }
  }
  return errors
}
