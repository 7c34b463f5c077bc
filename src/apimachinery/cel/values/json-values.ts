import { getOwn, isJsonObject } from '#apimachinery/own-property.ts'
import { CelError } from '../errors.ts'
import { parseDuration, parseTimestamp } from './time.ts'
import { type CelType, dyn, type ObjectType } from '../types/types.ts'
import { type CelList, type CelMap, type CelValue } from './values.ts'

/**
 * Wraps a JSON value as a CEL value. Lists and objects are not copied: items are converted when
 * they are read. The JSON must not change while the value is used. A value that does not match the
 * type is read by its JSON type.
 */
export function fromJson(json: unknown, type: CelType = dyn): CelValue {
  if (typeof json === 'string') return fromText(json, type)
  if (typeof json === 'boolean') return json
  if (typeof json === 'number') return type.kind === 'double' || !Number.isInteger(json) ? json : BigInt(json)
  if (typeof json === 'bigint') return type.kind === 'double' ? Number(json) : json
  if (Array.isArray(json)) return jsonList(json, type)
  return isJsonObject(json) ? jsonMap(json, type) : null
}

function fromText(text: string, { kind }: CelType): CelValue {
  if (kind === 'timestamp') return parseTimestamp(text.includes('T') || text.includes('t') ? text : `${text}T00:00:00Z`)
  if (kind === 'duration') return parseDuration(text)
  if (kind === 'bytes') return decodeBase64(text)
  return text
}

/** @throws CelError when the text is no base64 */
export function decodeBase64(text: string): Uint8Array {
  try {
    return Uint8Array.fromBase64(text)
  } catch {
    throw new CelError('invalid base64')
  }
}

type JsonObject = Readonly<Record<string, unknown>>

/**
 * Classes, for their getters are on the prototype: such values are made whenever a field is read.
 */
class JsonList implements CelList {
  readonly kind = 'list'
  readonly source: readonly unknown[]
  readonly #element: CelType
  constructor(json: readonly unknown[], element: CelType) {
    this.source = json
    this.#element = element
  }
  get size(): number {
    return this.source.length
  }
  get(index: number): CelValue {
    return fromJson(this.source[index], this.#element)
  }
}

class KeyedJsonList extends JsonList {
  readonly listType: 'set' | 'map'
  readonly listMapKeys: readonly string[] | undefined
  constructor(json: readonly unknown[], element: CelType, listType: 'set' | 'map', keys: readonly string[] | undefined) {
    super(json, element)
    this.listType = listType
    this.listMapKeys = keys
  }
}

function jsonList(json: readonly unknown[], type: CelType): CelList {
  if (type.kind !== 'list') return new JsonList(json, dyn)
  const { element, listType, listMapKeys } = type
  return listType === undefined ? new JsonList(json, element) : new KeyedJsonList(json, element, listType, listMapKeys)
}

class JsonMap implements CelMap {
  readonly kind = 'map'
  readonly source: JsonObject
  readonly #value: CelType
  constructor(json: JsonObject, value: CelType) {
    this.source = json
    this.#value = value
  }
  get size(): number {
    return Object.keys(this.source).length
  }
  get(key: CelValue): CelValue | undefined {
    return this.has(key) ? fromJson(this.source[key as string], this.#value) : undefined
  }
  has(key: CelValue): boolean {
    return typeof key === 'string' && Object.hasOwn(this.source, key)
  }
  keys(): readonly string[] {
    return Object.keys(this.source)
  }
}

/** Only fields that the type has are seen, under their names in CEL. */
class JsonFields implements CelMap {
  readonly kind = 'map'
  readonly source: JsonObject
  readonly #type: ObjectType
  constructor(json: JsonObject, type: ObjectType) {
    this.source = json
    this.#type = type
  }
  get typeName(): string {
    return this.#type.name
  }
  get size(): number {
    return this.keys().length
  }
  get(key: CelValue): CelValue | undefined {
    const field = typeof key === 'string' ? this.#type.fields.get(key) : undefined
    const value = field === undefined ? undefined : getOwn(this.source, field.property)
    return field === undefined || value === undefined ? undefined : fromJson(value, field.type)
  }
  has(key: CelValue): boolean {
    const field = typeof key === 'string' ? this.#type.fields.get(key) : undefined
    return field !== undefined && getOwn(this.source, field.property) !== undefined
  }
  keys(): readonly string[] {
    return this.#type.fields
      .keys()
      .filter((key) => this.has(key))
      .toArray()
  }
}

function jsonMap(json: JsonObject, type: CelType): CelMap {
  if (type.kind === 'object') return new JsonFields(json, type)
  return new JsonMap(json, type.kind === 'map' ? type.value : dyn)
}
