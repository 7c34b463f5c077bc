import { getOwn, setOwnInto } from '../own-property.ts'
import type { FieldType, ListType, MapType } from './field-type.ts'
import type { PathElement } from './path-element.ts'
import { asList, asObject, elementsOfList, FieldTypeError, isEmptyObject, type JsonObject, shapeOf, typeOfField } from './typed-value.ts'
import { printElement } from './path-element.ts'

/** Merges two values, at least one of which is present. */
function mergeValues(type: FieldType, live: unknown, applied: unknown): unknown {
  if (applied === undefined) return live
  switch (shapeOf(type, applied)) {
    case 'map':
      return type.map === undefined ? applied : mergeMaps(type.map, live, applied)
    case 'list':
      return type.list === undefined ? applied : mergeLists(type.list, live, applied)
    case 'scalar':
    case 'none':
      return applied
  }
}

const noObject: JsonObject = {}

function mergeMaps(map: MapType, live: unknown, applied: unknown): unknown {
  const before = asObject(live) ?? noObject
  const after = asObject(applied) ?? noObject
  if (map.atomic || (isEmptyObject(before) && isEmptyObject(after))) return applied
  const result: Record<string, unknown> = { ...before }
  let changed = before === noObject
  for (const name of Object.keys(after)) {
    const type = typeOfField(map, name)
    const old = getOwn(before, name)
    const value = type === undefined ? after[name] : mergeValues(type, old, after[name])
    if (value === old && Object.hasOwn(before, name)) continue
    setOwnInto(result, name, value)
    changed = true
  }
  return changed ? result : live
}

/**
 * Occurrences of an item in both lists. Of live items with the same key it is undecidable which one
 * to merge with.
 */
interface Items {
  readonly type: ListType
  readonly live: ReadonlyMap<PathElement, unknown>
  readonly applied: ReadonlyMap<PathElement, unknown>
}

function liveItems(elements: readonly PathElement[], list: readonly unknown[]): Map<PathElement, unknown> {
  const items = new Map<PathElement, unknown>()
  for (const [index, element] of elements.entries()) items.set(element, items.has(element) ? null : list[index])
  return items
}

function appliedItems(elements: readonly PathElement[], list: readonly unknown[]): Map<PathElement, unknown> {
  const items = new Map<PathElement, unknown>()
  for (const [index, element] of elements.entries()) {
    if (items.has(element)) throw new FieldTypeError(`: duplicate entries for key ${printElement(element)}`)
    items.set(element, list[index])
  }
  return items
}

function mergeItem({ type, live, applied }: Items, element: PathElement): unknown {
  return mergeValues(type.items, live.get(element), applied.get(element))
}

function mergeLists(type: ListType, live: unknown, applied: unknown): unknown {
  const before = asList(live) ?? []
  const after = asList(applied) ?? []
  if (type.atomic || (before.length === 0 && after.length === 0)) return applied
  const elements = elementsOfList(type, before)
  const wanted = elementsOfList(type, after)
  const items: Items = { type, live: liveItems(elements, before), applied: appliedItems(wanted, after) }
  const merged = orderItems(elements, wanted, items)
  const values = merged.map(({ element, at }) => (at === undefined ? mergeItem(items, element) : before[at]))
  return values.length === before.length && values.every((value, index) => value === before[index]) ? live : values
}

/** An item of the merged list. */
interface Placed {
  readonly element: PathElement
  /** Place in the live list of an item that is in no other. */
  readonly at?: number
}

/**
 * Orders the items of a merged list: shared items in the order of the applied list, other live
 * items in place around them, and new ones where the applied list has them, before the next shared
 * item.
 */
function orderItems(live: readonly PathElement[], applied: readonly PathElement[], items: Items): Placed[] {
  const placed: Placed[] = []
  const shared = applied.filter((element) => items.live.has(element))
  const done = new Set<PathElement>()
  let next = 0
  let nextShared = 0
  const placeNext = (): void => {
    const element = applied[next]
    if (element === undefined) return
    placed.push({ element })
    done.add(element)
    if (element === shared[nextShared]) nextShared += 1
    next += 1
  }
  for (const [at, element] of live.entries()) {
    if (!items.applied.has(element)) placed.push({ element, at })
    else if (element === shared[nextShared]) while (!done.has(element)) placeNext()
    // A live duplicate of an item that is already placed yields its place to a new one.
    else if (nextShared === shared.length) placeNext()
  }
  while (next < applied.length) placeNext()
  return placed
}

/**
 * Merges an applied configuration into the live object: applied values win, nothing is removed.
 * Mutates nothing, and returns the live value itself when nothing changes.
 * @throws FieldTypeError when an item of a list has no key, or two applied ones have the same
 */
export function mergeApplied(type: FieldType, live: unknown, applied: unknown): unknown {
  return mergeValues(type, live, applied)
}
