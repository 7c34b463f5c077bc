import { isJsonObject } from '../own-property.ts'
import type { FieldType, ListType, MapType, ScalarType } from './field-type.ts'
import { goSyntax, goText } from './go-text.ts'
import { printElement } from './path-element.ts'
import { asList, asObject, elementOfField, elementOfItem, FieldTypeError, shapeOf, typeOfField } from './typed-value.ts'

interface Walk {
  readonly path: string[]
  readonly faults: string[]
}

function fault(walk: Walk, message: string): void {
  const path = walk.path.join('')
  walk.faults.push(path === '' ? message : `${path}: ${message}`)
}

/** Names the Go type of a value. The messages of Kubernetes contain Go types. */
function kindOf(value: unknown): string {
  if (Array.isArray(value)) return '[]interface {}'
  if (isJsonObject(value)) return 'map[string]interface {}'
  if (typeof value === 'bigint') return 'int64'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64'
  return typeof value === 'boolean' ? 'bool' : 'string'
}

function checkScalar(type: ScalarType, value: unknown, walk: Walk): void {
  if (value === null) return
  const isScalar = typeof value !== 'object'
  switch (type) {
    case 'numeric':
      if (typeof value !== 'number' && typeof value !== 'bigint') fault(walk, `expected numeric (int or float), got ${kindOf(value)}`)
      break
    case 'string':
      if (typeof value !== 'string') fault(walk, `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`)
      break
    case 'boolean':
      if (typeof value !== 'boolean') fault(walk, `expected boolean, got &{${goText(value)}}`)
      break
    case 'untyped':
      if (!isScalar) fault(walk, `expected any scalar, got &{${goText(value)}}`)
  }
}

function checkMap(map: MapType, value: unknown, walk: Walk): void {
  if (value === null) return
  const object = asObject(value)
  if (object === undefined) return fault(walk, `expected map, got &{${goText(value)}}`)
  for (const name of Object.keys(object)) {
    const type = typeOfField(map, name)
    walk.path.push(printElement(elementOfField(name)))
    if (type === undefined) fault(walk, 'field not declared in schema')
    else check(type, object[name], walk)
    walk.path.pop()
  }
}

function checkList(type: ListType, value: unknown, walk: Walk): void {
  if (value === null) return
  const list = asList(value)
  if (list === undefined) return fault(walk, `expected list, got &{${goText(value)}}`)
  const seen = new Set<string>()
  for (const [index, item] of list.entries()) {
    const element = type.atomic ? `i:${index}` : elementOf(type, item, index, walk)
    if (element === undefined) return
    if (seen.has(element)) fault(walk, `duplicate entries for key ${printElement(element)}`)
    seen.add(element)
    walk.path.push(printElement(element))
    check(type.items, item, walk)
    walk.path.pop()
  }
}

function elementOf(type: ListType, item: unknown, index: number, walk: Walk): string | undefined {
  try {
    return elementOfItem(type, item)
  } catch (error) {
    if (!(error instanceof FieldTypeError)) throw error
    fault(walk, `element ${index}: ${error.message}`)
    return undefined
  }
}

function check(type: FieldType, value: unknown, walk: Walk): void {
  const shape = shapeOf(type, value)
  if (shape === 'map' && type.map !== undefined) checkMap(type.map, value, walk)
  else if (shape === 'list' && type.list !== undefined) checkList(type.list, value, walk)
  else if (type.scalar !== undefined) checkScalar(type.scalar, value, walk)
}

/**
 * Checks an applied configuration: only known fields, of the right shapes, and a unique key in
 * every item of a list.
 * @throws FieldTypeError naming each error with its path
 */
export function checkType(type: FieldType, value: unknown): void {
  const walk: Walk = { path: [], faults: [] }
  check(type, value, walk)
  if (walk.faults.length === 0) return
  throw new FieldTypeError(
    walk.faults.length === 1 ? walk.faults.join('') : `errors:\n${walk.faults.map((each) => `  ${each}`).join('\n')}`,
  )
}
