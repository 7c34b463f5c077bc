import type { StructuralSchema } from '../structural/schema.ts'

/** Types of a scalar. */
export type ScalarType = 'string' | 'numeric' | 'boolean' | 'untyped'

/** Ownership of the fields of an object. */
export interface MapType {
  /** Owned and replaced as a whole. */
  readonly atomic: boolean
  readonly fields: ReadonlyMap<string, FieldType>
  /** The type of undeclared fields; undefined when they are not allowed. */
  readonly others: FieldType | undefined
}

/** Ownership of the items of a list. */
export interface ListType {
  /** Owned and replaced as a whole. */
  readonly atomic: boolean
  readonly items: FieldType
  /** Fields that tell items apart, sorted by name; none: the items are their own keys, a set. */
  readonly keys: readonly ListKey[]
}

/** One key of a list. */
export interface ListKey {
  readonly name: string
  /** Default of the key in items without it. */
  readonly default: unknown
}

/** Possible shapes of a value; most types have one. */
export interface FieldType {
  readonly map?: MapType
  readonly scalar?: ScalarType
  readonly list?: ListType
}

const noDeclaredFields: ReadonlyMap<string, FieldType> = new Map()

interface Deduced extends FieldType {
  map: MapType
}

function makeDeduced(): FieldType {
  const unknownMap: MapType = { atomic: false, fields: noDeclaredFields, others: undefined }
  const type: Deduced = { map: unknownMap, scalar: 'untyped', list: { atomic: true, items: {}, keys: [] } }
  type.map = { ...unknownMap, others: type }
  return type
}

/**
 * The type of a value without schema, deduced from the value. Objects are granular, lists atomic.
 */
export const deducedType: FieldType = makeDeduced()

function othersOf(schema: StructuralSchema): FieldType | undefined {
  const { additionalProperties, properties } = schema
  if (typeof additionalProperties === 'object') return fieldTypeOf(additionalProperties)
  if (additionalProperties === true || schema['x-kubernetes-preserve-unknown-fields'] === true) return deducedType
  return additionalProperties === undefined && Object.keys(properties ?? {}).length === 0 ? deducedType : undefined
}

function mapTypeOf(schema: StructuralSchema): MapType {
  const properties = Object.entries(schema.properties ?? {})
  const fields = properties.length === 0 ? noDeclaredFields : new Map(properties.map(([key, property]) => [key, fieldTypeOf(property)]))
  return { atomic: schema['x-kubernetes-map-type'] === 'atomic', fields, others: othersOf(schema) }
}

function listTypeOf({ items, ...schema }: StructuralSchema): ListType {
  const type = schema['x-kubernetes-list-type'] ?? 'atomic'
  const names = type === 'map' ? (schema['x-kubernetes-list-map-keys'] ?? []) : []
  return {
    atomic: type === 'atomic',
    items: items === undefined ? deducedType : fieldTypeOf(items),
    keys: names.toSorted().map((name) => ({ name, default: items?.properties?.[name]?.default })),
  }
}

function compile(schema: StructuralSchema): FieldType {
  if (schema['x-kubernetes-int-or-string'] === true) return { scalar: 'untyped' }
  // The generated schemas write a quantity as a number or text, which is a scalar all the same.
  if (schema.type === undefined && schema.anyOf !== undefined) return { scalar: 'untyped' }
  if (schema.type === undefined) return { map: mapTypeOf(schema), scalar: 'untyped', list: listTypeOf(schema) }
  switch (schema.type) {
    case 'object':
      return isOpen(schema) ? deducedType : { map: mapTypeOf(schema) }
    case 'array':
      return { list: listTypeOf(schema) }
    case 'string':
      return { scalar: schema.format === undefined ? 'string' : 'untyped' }
    case 'boolean':
      return { scalar: 'boolean' }
    case 'integer':
    case 'number':
      return { scalar: 'numeric' }
  }
}

/** An object whose schema declares nothing else. */
function isOpen(schema: StructuralSchema): boolean {
  const { additionalProperties, properties } = schema
  return schema['x-kubernetes-map-type'] !== 'atomic' && properties === undefined && (additionalProperties ?? true) === true
}

const compiled = new WeakMap<StructuralSchema, FieldType>()

/**
 * Returns the field type of a schema, from list and map types, declared fields and unknown fields.
 */
export function fieldTypeOf(schema: StructuralSchema): FieldType {
  let type = compiled.get(schema)
  if (type === undefined) {
    type = compile(schema)
    compiled.set(schema, type)
  }
  return type
}
