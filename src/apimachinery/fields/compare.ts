import { deepEqual } from '../equality.ts'
import { type FieldSet, noFields } from './field-set.ts'
import type { FieldType, ListType, MapType } from './field-type.ts'
import type { PathElement } from './path-element.ts'
import { allFieldsOf } from './to-field-set.ts'
import {
  asList,
  asObject,
  elementOfField,
  elementsOfList,
  isEmptyObject,
  type JsonObject,
  type Shape,
  shapeOf,
  typeOfField,
} from './typed-value.ts'

/** Difference of two objects. Each field is in at most one set. */
export interface Comparison {
  readonly removed: FieldSet
  readonly modified: FieldSet
  readonly added: FieldSet
}

type Kind = keyof Comparison

/** A set that grows. */
type Growing = Map<PathElement, GrowingNode>

interface GrowingNode {
  owned: boolean
  below: Growing
}

/** Position and result of the walk. */
interface Walk {
  readonly path: PathElement[]
  readonly found: Record<Kind, Growing>
}

function report(walk: Walk, kind: Kind, below: FieldSet = noFields): void {
  let level = walk.found[kind]
  let node: GrowingNode | undefined
  for (const element of walk.path) {
    node = level.get(element)
    if (node === undefined) {
      node = { owned: false, below: new Map() }
      level.set(element, node)
    }
    level = node.below
  }
  if (node === undefined) return
  node.owned = true
  // The node was created by this walk, so that no other reference sees the mutation.
  if (node.below.size === 0) node.below = below as Growing
  else for (const [element, child] of below) node.below.set(element, child as GrowingNode)
}

/** Reports a value that is present on one side only. */
function reportWhole(walk: Walk, kind: Kind, type: FieldType, value: unknown): void {
  report(walk, kind, allFieldsOf(type, value))
}

function reportIfModified(walk: Walk, old: unknown, next: unknown): void {
  if (!deepEqual(old, next)) report(walk, 'modified')
}

function compareField(walk: Walk, element: PathElement, type: FieldType, old: unknown, next: unknown): void {
  if (old === next) return
  walk.path.push(element)
  if (old === undefined) reportWhole(walk, 'added', type, next)
  else if (next === undefined) reportWhole(walk, 'removed', type, old)
  else compareValues(walk, type, old, next)
  walk.path.pop()
}

function compareValues(walk: Walk, type: FieldType, old: unknown, next: unknown): void {
  const before = shapeOf(type, old)
  const after = shapeOf(type, next)
  if (before !== after) compareAs(before, walk, type, old, next)
  compareAs(after, walk, type, old, next)
}

function compareAs(shape: Shape, walk: Walk, type: FieldType, old: unknown, next: unknown): void {
  if (shape === 'map' && type.map !== undefined) compareMaps(walk, type.map, old, next)
  else if (shape === 'list' && type.list !== undefined) compareLists(walk, type.list, old, next)
  else reportIfModified(walk, old, next)
}

const noObject: JsonObject = {}

function compareMaps(walk: Walk, map: MapType, old: unknown, next: unknown): void {
  const before = asObject(old) ?? noObject
  const after = asObject(next) ?? noObject
  // Null and the empty object are distinguished only here, where no other difference exists.
  if (map.atomic || (isEmptyObject(before) && isEmptyObject(after))) return reportIfModified(walk, old, next)
  for (const name of Object.keys(after)) compareNamed(walk, map, name, Object.hasOwn(before, name) ? before[name] : undefined, after[name])
  for (const name of Object.keys(before)) {
    if (!Object.hasOwn(after, name)) compareNamed(walk, map, name, before[name], undefined)
  }
}

function compareNamed(walk: Walk, map: MapType, name: string, old: unknown, next: unknown): void {
  const type = typeOfField(map, name)
  if (type !== undefined) compareField(walk, elementOfField(name), type, old, next)
}

function compareLists(walk: Walk, type: ListType, old: unknown, next: unknown): void {
  const before = asList(old) ?? []
  const after = asList(next) ?? []
  if (type.atomic || (before.length === 0 && after.length === 0)) return reportIfModified(walk, old, next)
  // Most lists are as they were, and to look at the items costs less than to name them.
  if (deepEqual(before, after)) return
  const oldItems = itemsByElement(type, before)
  const nextItems = itemsByElement(type, after)
  for (const [element, items] of nextItems) compareItems(walk, type, element, oldItems.get(element) ?? [], items)
  for (const [element, items] of oldItems) if (!nextItems.has(element)) compareItems(walk, type, element, items, [])
}

function itemsByElement(type: ListType, list: readonly unknown[]): Map<PathElement, unknown[]> {
  const items = new Map<PathElement, unknown[]>()
  const elements = elementsOfList(type, list)
  for (const [index, element] of elements.entries()) {
    const same = items.get(element)
    if (same === undefined) items.set(element, [list[index]])
    else same.push(list[index])
  }
  return items
}

/** Items with the same key are compared as one unit. */
function compareItems(walk: Walk, type: ListType, element: PathElement, old: readonly unknown[], next: readonly unknown[]): void {
  const isLump = [old.length > 1, next.length > 1]
  if (!isLump[0] && !isLump[1]) return compareField(walk, element, type.items, old[0], next[0])
  if (isLump[0] !== isLump[1]) compareField(walk, element, type.items, isLump[0] ? undefined : old[0], isLump[1] ? undefined : next[0])
  walk.path.push(element)
  if (!isLump[1]) report(walk, 'removed')
  else if (!isLump[0]) report(walk, 'added')
  else if (!deepEqual(old, next)) report(walk, 'modified')
  walk.path.pop()
}

function grown(found: Growing): FieldSet {
  return found.size === 0 ? noFields : found
}

/**
 * Compares two objects of a type, leaf by leaf: atomic lists and objects are leaves. A field that
 * is present on one side only counts with everything below it.
 * @throws FieldTypeError when an item of a list has no key
 */
export function compare(type: FieldType, old: unknown, next: unknown): Comparison {
  // Shortcut for new objects, which most calls are about.
  if (old === undefined && type.map?.atomic === false) return { removed: noFields, modified: noFields, added: allFieldsOf(type, next) }
  const found = { removed: new Map(), modified: new Map(), added: new Map() } satisfies Record<Kind, Growing>
  const walk: Walk = { path: [], found }
  if (old !== next) compareValues(walk, type, old ?? null, next ?? null)
  return { removed: grown(found.removed), modified: grown(found.modified), added: grown(found.added) }
}
