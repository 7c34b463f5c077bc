import { type FieldNode, type FieldSet, leaf, noFields, nodeOf } from './field-set.ts'
import type { FieldType, ListType, MapType } from './field-type.ts'
import type { PathElement } from './path-element.ts'
import { asList, asObject, elementOfField, elementsOfList, isEmptyObject, shapeOf, typeOfField } from './typed-value.ts'

/** Nodes of an object to include: those that its author sets, or every node that is present. */
type Extent = 'decided' | 'present'

function mapFields(map: MapType, value: unknown, extent: Extent): FieldSet {
  const object = asObject(value)
  if (object === undefined || map.atomic) return noFields
  const fields = new Map<PathElement, FieldNode>()
  for (const name of Object.keys(object)) {
    const item = object[name]
    if (item === undefined) continue
    const type = typeOfField(map, name)
    if (type === undefined) continue
    const node = nodeOf(ownsField(map, name, type, item, extent), fieldsOf(type, item, extent))
    if (node !== undefined) fields.set(elementOfField(name), node)
  }
  return fields.size === 0 ? noFields : fields
}

/**
 * Declared fields that contain others exist because of those. Keys of a map exist because they were
 * set.
 */
function ownsField(map: MapType, name: string, type: FieldType, value: unknown, extent: Extent): boolean {
  if (extent === 'present' || value === null || !map.fields.has(name)) return true
  const object = asObject(value)
  return (object !== undefined && isEmptyObject(object)) || isLeaf(type, value)
}

function isLeaf(type: FieldType, value: unknown): boolean {
  switch (shapeOf(type, value)) {
    case 'scalar':
      return true
    case 'map':
      return type.map?.atomic === true
    case 'list':
      return type.list?.atomic === true
    case 'none':
      return false
  }
}

function listFields(type: ListType, value: unknown, extent: Extent): FieldSet {
  const list = asList(value)
  if (list === undefined || type.atomic) return noFields
  const items = new Map<PathElement, FieldNode>()
  const elements = elementsOfList(type, list)
  for (const [index, element] of elements.entries()) {
    // Items with the same key cannot be told apart: they are owned together.
    items.set(element, items.has(element) ? leaf : { owned: true, below: fieldsOf(type.items, list[index], extent) })
  }
  return items.size === 0 ? noFields : items
}

function fieldsOf(type: FieldType, value: unknown, extent: Extent): FieldSet {
  switch (shapeOf(type, value)) {
    case 'map':
      return type.map === undefined ? noFields : mapFields(type.map, value, extent)
    case 'list':
      return type.list === undefined ? noFields : listFields(type.list, value, extent)
    case 'scalar':
    case 'none':
      return noFields
  }
}

/**
 * Returns the fields that the applier of this object owns: scalars, atomic objects and lists, nulls
 * and empty objects, keys of maps, items of lists.
 * @throws FieldTypeError when an item of a list has no key
 */
export function toFieldSet(type: FieldType, value: unknown): FieldSet {
  return fieldsOf(type, value, 'decided')
}

/**
 * Returns all fields that are present, declared objects included: they are added or removed with
 * the object. @throws FieldTypeError when an item has no key
 */
export function allFieldsOf(type: FieldType, value: unknown): FieldSet {
  return fieldsOf(type, value, 'present')
}
