/** An unsigned integer; plain bigints are int64. */
export interface CelUint {
  readonly kind: 'uint'
  readonly value: bigint
}

/** A moment. */
export interface CelTimestamp {
  readonly kind: 'timestamp'
  /** Nanoseconds since 1970. */
  readonly nanos: bigint
}

/** A span of time. */
export interface CelDuration {
  readonly kind: 'duration'
  readonly nanos: bigint
}

/** A list; its items are made when they are read. */
export interface CelList {
  readonly kind: 'list'
  readonly size: number
  get(index: number): CelValue
  /** Backing object of the list: two lists with the same source are equal. */
  readonly source?: object
  /** `x-kubernetes-list-type`. */
  readonly listType?: 'set' | 'map' | undefined
  readonly listMapKeys?: readonly string[] | undefined
}

/** A map or an object; its values are made when they are read. */
export interface CelMap {
  readonly kind: 'map'
  readonly size: number
  get(key: CelValue): CelValue | undefined
  has(key: CelValue): boolean
  keys(): Iterable<CelValue>
  readonly source?: object
  /** Objects of a schema are read by field. */
  readonly typeName?: string
}

/** A value that may be absent. */
export interface CelOptional {
  readonly kind: 'optional'
  readonly value: CelValue | undefined
}

/** A type as a value. */
export interface CelTypeValue {
  readonly kind: 'type'
  readonly name: string
}

/** A value that only functions can use. */
export interface CelOpaque {
  readonly kind: 'opaque'
  readonly typeName: string
  readonly value: unknown
  equals(other: unknown): boolean
  /** Result of `size`, for costs. Default 1. */
  readonly size?: number
}

type CelStructure = CelUint | CelTimestamp | CelDuration | CelList | CelMap | CelOptional | CelTypeValue | CelOpaque

/** A value of an expression: bigint is int, number is double. */
export type CelValue = null | boolean | bigint | number | string | Uint8Array | CelStructure

/** Kind of a value at run time. */
export type ValueKind = 'null' | 'bool' | 'int' | 'double' | 'string' | 'bytes' | CelStructure['kind']

/** Returns the kind of a value. */
export function kindOf(value: CelValue): ValueKind {
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'bigint') return 'int'
  if (typeof value === 'number') return 'double'
  if (value === null) return 'null'
  return value instanceof Uint8Array ? 'bytes' : value.kind
}

/** Reports whether a value is a list. */
export function isList(value: CelValue): value is CelList {
  return kindOf(value) === 'list'
}

/** Reports whether a value is a map or an object. */
export function isMap(value: CelValue): value is CelMap {
  return kindOf(value) === 'map'
}

/** Reports whether a value is optional. */
export function isOptionalValue(value: CelValue): value is CelOptional {
  return kindOf(value) === 'optional'
}

/** A list of values that are there already. */
export function listValue(items: readonly CelValue[]): CelList {
  return { kind: 'list', size: items.length, get: (index) => items[index] ?? null }
}

/** The items of a list, one by one. */
export function* itemsOf(list: CelList): Generator<CelValue> {
  for (let index = 0; index < list.size; index += 1) yield list.get(index)
}

/** A map's key as a text under which equal keys are the same, whatever their numeric type. */
export function mapKey(key: CelValue): string | undefined {
  if (typeof key === 'string') return `s${key}`
  if (typeof key === 'boolean') return `b${String(key)}`
  if (typeof key === 'bigint') return `n${key}`
  if (typeof key === 'number') return Number.isInteger(key) ? `n${BigInt(key)}` : undefined
  return key !== null && !(key instanceof Uint8Array) && key.kind === 'uint' ? `n${key.value}` : undefined
}

/**
 * A map of values that are there already; of equal keys the last counts. Keys must be such as
 * {@link mapKey} takes.
 */
export function mapValue(entries: Iterable<readonly [CelValue, CelValue]>): CelMap {
  const byKey = new Map<string, readonly [CelValue, CelValue]>()
  for (const entry of entries) byKey.set(mapKey(entry[0]) ?? '', entry)
  const find = (key: CelValue): readonly [CelValue, CelValue] | undefined => byKey.get(mapKey(key) ?? 'none')
  return {
    kind: 'map',
    size: byKey.size,
    get: (key) => find(key)?.[1],
    has: (key) => find(key) !== undefined,
    keys: () => Array.from(byKey.values(), ([key]) => key),
  }
}

/** An unsigned integer. */
export function uintValue(value: bigint): CelUint {
  return { kind: 'uint', value }
}

/** A moment, in nanoseconds since 1970. */
export function timestampValue(nanos: bigint): CelTimestamp {
  return { kind: 'timestamp', nanos }
}

/** A span of time, in nanoseconds. */
export function durationValue(nanos: bigint): CelDuration {
  return { kind: 'duration', nanos }
}

/** The optional without a value. */
export const none: CelOptional = { kind: 'optional', value: undefined }

/** An optional with a value. */
export function some(value: CelValue): CelOptional {
  return { kind: 'optional', value }
}

/** A type, by its name. */
export function typeValue(name: string): CelTypeValue {
  return { kind: 'type', name }
}

/** Number of characters of a text: CEL counts code points. */
export function lengthOf(text: string): number {
  let length = text.length
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    if (unit >= 0xd800 && unit <= 0xdbff) length -= 1
  }
  return length
}

/** Size of a value for costs; 1 for a value without size. */
export function costSize(value: CelValue): number {
  if (typeof value === 'string') return lengthOf(value)
  if (typeof value !== 'object' || value === null) return 1
  if (value instanceof Uint8Array) return value.length
  if (value.kind === 'list' || value.kind === 'map') return value.size
  if (value.kind === 'optional') return value.value === undefined ? 1 : costSize(value.value)
  return value.kind === 'opaque' ? (value.size ?? 1) : 1
}
