/**
 * CEL types. Types from a schema also have the maximum size of their values (`maxSize`: characters,
 * bytes, items or entries), for cost estimates; it is not part of their identity.
 */
export type CelType = ScalarType | ListType | MapType | ObjectType | OpaqueType | TypeType | ParameterType

type ScalarKind = 'dyn' | 'null' | 'bool' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'timestamp' | 'duration'

interface Declared {
  readonly maxSize?: number
  /** The fewest bytes that a value has in JSON. */
  readonly minBytes?: number
  /** Reports whether null is a value of the type. */
  readonly nullable?: boolean
}

/** A type without parts. */
export interface ScalarType extends Declared {
  readonly kind: ScalarKind
}

/** `list(T)`. */
export interface ListType extends Declared {
  readonly kind: 'list'
  readonly element: CelType
  /**
   * `x-kubernetes-list-type`: sets and maps are equal whatever their order, and are joined without
   * repetition.
   */
  readonly listType?: 'set' | 'map'
  readonly listMapKeys?: readonly string[]
}

/** `map(K, V)`. */
export interface MapType extends Declared {
  readonly kind: 'map'
  readonly key: CelType
  readonly value: CelType
}

/** A field of an object, under its name in CEL; `property` is its name in JSON. */
export interface ObjectField {
  readonly property: string
  readonly type: CelType
}

/** An object with known fields. */
export interface ObjectType extends Declared {
  readonly kind: 'object'
  readonly name: string
  readonly fields: ReadonlyMap<string, ObjectField>
}

/**
 * A type that only functions can use, such as `kubernetes.Quantity`; `optional_type` has a
 * parameter.
 */
export interface OpaqueType extends Declared {
  readonly kind: 'opaque'
  readonly name: string
  readonly parameters: readonly CelType[]
}

/** The type of a type. */
export interface TypeType extends Declared {
  readonly kind: 'type'
  readonly of: CelType
}

/** A type that is found out from the use of it: `T` in `list(T)`. */
export interface ParameterType extends Declared {
  readonly kind: 'parameter'
  readonly name: string
}

const scalar = (kind: ScalarKind): ScalarType => ({ kind })

/** Any type: only values tell. */
export const dyn: ScalarType = scalar('dyn')
/** The type of null. */
export const nullType: ScalarType = scalar('null')
/** true and false. */
export const bool: ScalarType = scalar('bool')
/** 64 bits with a sign. */
export const int: ScalarType = scalar('int')
/** 64 bits without a sign. */
export const uint: ScalarType = scalar('uint')
/** A floating-point number. */
export const double: ScalarType = scalar('double')
/** A text. */
export const string: ScalarType = scalar('string')
/** Bytes. */
export const bytes: ScalarType = scalar('bytes')
/** A moment. */
export const timestamp: ScalarType = scalar('timestamp')
/** A span of time. */
export const duration: ScalarType = scalar('duration')

/** `list(T)`. */
export function listOf(element: CelType): ListType {
  return { kind: 'list', element }
}

/** `map(K, V)`. */
export function mapOf(key: CelType, value: CelType): MapType {
  return { kind: 'map', key, value }
}

/** The type of a type. */
export function typeOf(of: CelType): TypeType {
  return { kind: 'type', of }
}

/** A type that only functions know. */
export function opaque(name: string, ...parameters: readonly CelType[]): OpaqueType {
  return { kind: 'opaque', name, parameters }
}

/** `optional_type(T)`. */
export function optionalOf(type: CelType): OpaqueType {
  return opaque('optional_type', type)
}

/** An object type with known fields, for variables. */
export function objectOf(name: string, fields: Readonly<Record<string, CelType>>): ObjectType {
  return { kind: 'object', name, fields: new Map(Object.entries(fields).map(([key, type]) => [key, { property: key, type }])) }
}

/** Reports whether values of a type may be absent. */
export function isOptional(type: CelType): type is OpaqueType {
  return type.kind === 'opaque' && type.name === 'optional_type'
}

const scalarNames: Readonly<Partial<Record<ScalarKind, string>>> = {
  null: 'null_type',
  timestamp: 'google.protobuf.Timestamp',
  duration: 'google.protobuf.Duration',
}

/** The name of a type at run time, as `type(x)` is printed. */
export function typeName(type: CelType): string {
  if (type.kind === 'list' || type.kind === 'map' || type.kind === 'type') return type.kind
  if (type.kind === 'object' || type.kind === 'opaque' || type.kind === 'parameter') return type.name
  return scalarNames[type.kind] ?? type.kind
}

/** A type as cel-go prints it in messages: `list(string)`. */
export function showType(type: CelType): string {
  if (type.kind === 'list') return `list(${showType(type.element)})`
  if (type.kind === 'map') return `map(${showType(type.key)}, ${showType(type.value)})`
  if (type.kind === 'type') return `type(${showType(type.of)})`
  if (type.kind === 'opaque') return type.parameters.length === 0 ? type.name : `${type.name}(${type.parameters.map(showType).join(', ')})`
  if (type.kind === 'object' || type.kind === 'parameter') return type.name
  if (type.kind === 'null') return 'null'
  if (type.kind === 'timestamp' || type.kind === 'duration') return type.kind
  return type.kind
}
