import { type FieldNode, type FieldSet, leaf } from './field-set.ts'
import { deducedType, type FieldType } from './field-type.ts'
import { fieldNameOf, type PathElement } from './path-element.ts'
import { typeOfField } from './typed-value.ts'

function typeBelow(type: FieldType, element: PathElement): FieldType | undefined {
  if (type.map !== undefined) return typeOfField(type.map, fieldNameOf(element) ?? '')
  return type.scalar === undefined ? type.list?.items : undefined
}

/** The shape that counts is the type's first: there is no value to tell by. */
function isAtomic({ map, scalar, list }: FieldType): boolean {
  if (map !== undefined) return map.atomic
  return scalar === undefined && list?.atomic === true
}

/** Objects of which nothing is known but that they have fields. */
function isUntyped({ map }: FieldType): boolean {
  return map !== undefined && map.fields.size === 0 && (map.others === deducedType || map.others?.scalar === 'untyped')
}

function reconcileNode(type: FieldType, node: FieldNode): FieldNode {
  if (node.below.size === 0) return node
  if (isUntyped(type)) return node
  if (isAtomic(type)) return leaf
  const below = reconcileLevel(type, node.below)
  return below === node.below ? node : { owned: node.owned, below }
}

/**
 * The type that a set is known to be in line with: sets are looked at by every write, and types
 * rarely change.
 */
const inLine = new WeakMap<FieldSet, FieldType>()

function reconcileLevel(type: FieldType, fields: FieldSet): FieldSet {
  if (isUntyped(type)) return fields
  let result: Map<PathElement, FieldNode> | undefined
  for (const [element, node] of fields) {
    if (node.below.size === 0) continue
    const below = typeBelow(type, element)
    if (below === undefined) continue
    const reconciled = reconcileNode(below, node)
    if (reconciled === node) continue
    result ??= new Map(fields)
    result.set(element, reconciled)
  }
  return result ?? fields
}

/**
 * Adapts a set that was written under an older schema to the type: an owner of parts of a field
 * that became atomic owns all of it; a field that became granular keeps its owners. Returns the
 * same set when nothing changes.
 */
export function reconcileFields(type: FieldType, fields: FieldSet): FieldSet {
  if (inLine.get(fields) === type) return fields
  const result = reconcileLevel(type, fields)
  inLine.set(result, type)
  return result
}
