import { getOwn, isJsonObject } from '../own-property.ts'
import type { FieldType, ListType, MapType } from './field-type.ts'
import { fieldElement, keyElement, type PathElement, valueElement } from './path-element.ts'

/** A value does not fit its type. The message begins with the path, where one is known. */
export class FieldTypeError extends Error {
  override readonly name = 'FieldTypeError'
}

/** A JSON object, to read. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Shape of a value: one of those that its type allows. */
export type Shape = 'map' | 'scalar' | 'list' | 'none'

/**
 * Returns the shape of a value if the type allows it, otherwise the first shape of the type. Null
 * has any shape.
 */
export function shapeOf(type: FieldType, value: unknown): Shape {
  if (isJsonObject(value)) {
    if (type.map !== undefined) return 'map'
  } else if (Array.isArray(value)) {
    if (type.list !== undefined) return 'list'
  } else if (value !== null && value !== undefined && type.scalar !== undefined) return 'scalar'
  if (type.map !== undefined) return 'map'
  if (type.scalar !== undefined) return 'scalar'
  return type.list === undefined ? 'none' : 'list'
}

/** Returns the value as an object; undefined for other values. */
export function asObject(value: unknown): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined
}

/** Returns the value as a list; undefined for other values. */
export function asList(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined
}

/** Reports whether an object has no fields. */
export function isEmptyObject(value: JsonObject): boolean {
  for (const _ in value) return false
  return true
}

/** Returns the type of a field; undefined when the field is not allowed. */
export function typeOfField(map: MapType, name: string): FieldType | undefined {
  return map.fields.get(name) ?? map.others
}

/** Cache of path elements of fields. Keys of maps may have any length; long ones are not cached. */
const fieldElements = new Map<string, PathElement>()
const mostElements = 20_000
const longestName = 256

/**
 * Returns the path element of a field from a cache: there are few fields, and calls are frequent.
 */
export function elementOfField(name: string): PathElement {
  const known = fieldElements.get(name)
  if (known !== undefined) return known
  const element = fieldElement(name)
  if (name.length > longestName) return element
  if (fieldElements.size >= mostElements) fieldElements.clear()
  fieldElements.set(name, element)
  return element
}

function keyedElement(type: ListType, item: unknown): PathElement {
  if (item === null) throw new FieldTypeError('associative list with keys may not have a null element')
  if (!isJsonObject(item)) throw new FieldTypeError('associative list with keys may not have non-map elements')
  const keys: [string, unknown][] = []
  for (const key of type.keys) {
    const value = getOwn(item, key.name) ?? (Object.hasOwn(item, key.name) ? null : key.default)
    if (value !== undefined) keys.push([key.name, value])
  }
  if (keys.length > 0) return keyElement(keys)
  const names = type.keys.map(({ name }) => JSON.stringify(name)).join(' ')
  throw new FieldTypeError(
    `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
  )
}

function setElement(item: unknown): PathElement {
  if (item === null) throw new FieldTypeError("associative list without keys has an element that's an explicit null")
  if (Array.isArray(item)) throw new FieldTypeError('not supported: associative list with lists as elements')
  if (typeof item === 'object') throw new FieldTypeError("associative list without keys has an element that's a map type")
  return valueElement(item)
}

/**
 * The step to an item of a list that is not atomic. @throws FieldTypeError when the item has no key
 */
export function elementOfItem(type: ListType, item: unknown): PathElement {
  return type.keys.length > 0 ? keyedElement(type, item) : setElement(item)
}

/** The steps to all items. @throws FieldTypeError naming the index of the item */
export function elementsOfList(type: ListType, list: readonly unknown[]): PathElement[] {
  return list.map((item, index) => {
    try {
      return elementOfItem(type, item)
    } catch (error) {
      throw error instanceof FieldTypeError ? new FieldTypeError(`: element ${index}: ${error.message}`, { cause: error }) : error
    }
  })
}
