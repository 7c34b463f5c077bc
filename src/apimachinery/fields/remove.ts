import { setOwnInto } from '../own-property.ts'
import type { FieldNode, FieldSet } from './field-set.ts'
import { type FieldType, deducedType, type ListType, type MapType } from './field-type.ts'
import { asList, asObject, elementOfField, elementsOfList, shapeOf, typeOfField } from './typed-value.ts'

const gone: unique symbol = Symbol('gone')

/**
 * Returns a value without the fields; `gone` when an object or list becomes empty, whose owner then
 * decides.
 */
function removeFrom(type: FieldType, value: unknown, fields: FieldSet): unknown {
  switch (shapeOf(type, value)) {
    case 'map':
      return type.map === undefined ? gone : removeFromMap(type.map, value, fields)
    case 'list':
      return type.list === undefined ? gone : removeFromList(type.list, value, fields)
    case 'scalar':
      return value
    case 'none':
      return gone
  }
}

/** An object or list from which something was removed stays, be it empty. */
function keepContainer(before: unknown, after: unknown): unknown {
  if (after !== gone) return after
  if (Array.isArray(before)) return []
  return asObject(before) === undefined ? null : {}
}

function removeChild(type: FieldType, value: unknown, node: FieldNode): unknown {
  return node.owned ? gone : keepContainer(value, removeFrom(type, value, node.below))
}

function removeFromMap(map: MapType, value: unknown, fields: FieldSet): unknown {
  const object = asObject(value)
  if (object === undefined || map.atomic) return gone
  const result: Record<string, unknown> = {}
  let changed = false
  let kept = 0
  for (const name of Object.keys(object)) {
    const node = fields.get(elementOfField(name))
    const before = object[name]
    const after = node === undefined ? before : removeChild(typeOfField(map, name) ?? deducedType, before, node)
    if (after !== before) changed = true
    if (after === gone) continue
    setOwnInto(result, name, after)
    kept += 1
  }
  if (kept === 0) return gone
  return changed ? result : value
}

function removeFromList(type: ListType, value: unknown, fields: FieldSet): unknown {
  const list = asList(value)
  if (list === undefined || type.atomic) return gone
  const elements = elementsOfList(type, list)
  const result: unknown[] = []
  for (const [index, element] of elements.entries()) {
    const node = fields.get(element)
    const after = node === undefined ? list[index] : removeChild(type.items, list[index], node)
    if (after !== gone) result.push(after)
  }
  if (result.length === 0) return gone
  return result.length === list.length && result.every((item, index) => item === list[index]) ? value : result
}

/** The object without some of its fields; undefined when nothing is left. Mutates nothing. */
export function removeFields(type: FieldType, value: unknown, fields: FieldSet): unknown {
  if (fields.size === 0) return value
  const rest = removeFrom(type, value, fields)
  return rest === gone ? undefined : rest
}
