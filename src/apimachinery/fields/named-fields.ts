import { type FieldNode, type FieldSet, noFields } from './field-set.ts'
import type { FieldType } from './field-type.ts'
import { fieldNameOf, type PathElement } from './path-element.ts'
import { typeOfField } from './typed-value.ts'

const noType: FieldType = {}

function typeBelow(type: FieldType, element: PathElement, name: string | undefined): FieldType {
  if (name !== undefined) return type.map === undefined ? noType : (typeOfField(type.map, name) ?? noType)
  return element.startsWith('k:') ? (type.list?.items ?? noType) : noType
}

/**
 * Returns the set with every declared field that contains one of its fields. Such a field is
 * removed together with its contents; a key of a map or an item of a list is set explicitly and
 * removed on its own.
 */
export function withNamedFields(type: FieldType, fields: FieldSet): FieldSet {
  if (fields.size === 0) return noFields
  const result = new Map<PathElement, FieldNode>()
  for (const [element, node] of fields) {
    if (node.below.size === 0) {
      result.set(element, node)
      continue
    }
    const name = fieldNameOf(element)
    const declared = name !== undefined && type.map?.fields.has(name) === true
    result.set(element, { owned: node.owned || declared, below: withNamedFields(typeBelow(type, element, name), node.below) })
  }
  return result
}
