import { compareElements, type PathElement } from './path-element.ts'

/** Membership of one path element: of the field itself, and of fields below it. Never neither. */
export interface FieldNode {
  readonly owned: boolean
  readonly below: FieldSet
}

/**
 * An immutable set of fields, stored as a trie. A field that contains others need not be in the set
 * itself. Operations share unchanged parts, and return the same set when nothing changes.
 */
export type FieldSet = ReadonlyMap<PathElement, FieldNode>

/** The empty set. */
export const noFields: FieldSet = new Map()

/** A field with nothing below. */
export const leaf: FieldNode = { owned: true, below: noFields }

/** A node; undefined when it would say nothing. */
export function nodeOf(owned: boolean, below: FieldSet): FieldNode | undefined {
  if (below.size === 0) return owned ? leaf : undefined
  return { owned, below }
}

/** Creates a set from paths. */
export function fieldSetOf(...paths: readonly (readonly PathElement[])[]): FieldSet {
  return paths.reduce<FieldSet>((set, path) => union(set, pathSet(path)), noFields)
}

function pathSet(path: readonly PathElement[]): FieldSet {
  const [first, ...rest] = path
  if (first === undefined) return noFields
  return new Map([[first, rest.length === 0 ? leaf : { owned: false, below: pathSet(rest) }]])
}

/** Reports whether the set contains the field at a path. */
export function has(set: FieldSet, path: readonly PathElement[]): boolean {
  let node: FieldNode | undefined
  let level = set
  for (const element of path) {
    node = level.get(element)
    if (node === undefined) return false
    level = node.below
  }
  return node?.owned === true
}

/** A level with one path element replaced, copied at the first change only. */
function replace(
  original: FieldSet,
  changed: Map<PathElement, FieldNode> | undefined,
  element: PathElement,
  node: FieldNode | undefined,
): Map<PathElement, FieldNode> {
  const result = changed ?? new Map(original)
  if (node === undefined) result.delete(element)
  else result.set(element, node)
  return result
}

/** The fields of both. */
export function union(set: FieldSet, other: FieldSet): FieldSet {
  if (other.size === 0 || set === other) return set
  if (set.size === 0) return other
  let result: Map<PathElement, FieldNode> | undefined
  for (const [element, node] of other) {
    const before = set.get(element)
    if (before === undefined) {
      result = replace(set, result, element, node)
      continue
    }
    const below = union(before.below, node.below)
    if (below !== before.below || (node.owned && !before.owned)) {
      result = replace(set, result, element, { owned: before.owned || node.owned, below })
    }
  }
  return result ?? set
}

/** The fields that are in both. */
export function intersection(set: FieldSet, other: FieldSet): FieldSet {
  if (set === other) return set
  const [small, large] = set.size <= other.size ? [set, other] : [other, set]
  const result = new Map<PathElement, FieldNode>()
  for (const [element, node] of small) {
    const also = large.get(element)
    if (also === undefined) continue
    const common = nodeOf(node.owned && also.owned, intersection(node.below, also.below))
    if (common !== undefined) result.set(element, common)
  }
  return result.size === 0 ? noFields : result
}

/**
 * Returns the fields of the first set that are not in the second. Fields below a field of the
 * second stay.
 */
export function difference(set: FieldSet, other: FieldSet): FieldSet {
  return subtract(set, other, false)
}

/** Returns the difference, without fields below a field of the second set. */
export function recursiveDifference(set: FieldSet, other: FieldSet): FieldSet {
  return subtract(set, other, true)
}

function subtract(set: FieldSet, other: FieldSet, recursive: boolean): FieldSet {
  if (set.size === 0 || other.size === 0) return set
  let result: Map<PathElement, FieldNode> | undefined
  // Iterates over the smaller set: usually a few fields are subtracted from many.
  const elements = other.size <= set.size ? other.keys() : set.keys()
  for (const element of elements) {
    const node = set.get(element)
    const gone = other.get(element)
    if (node === undefined || gone === undefined) continue
    const below = recursive && gone.owned ? noFields : subtract(node.below, gone.below, recursive)
    const owned = node.owned && !gone.owned
    if (owned !== node.owned || below !== node.below) result = replace(set, result, element, nodeOf(owned, below))
  }
  return result ?? set
}

/** Reports whether two sets contain the same fields. */
export function equalSets(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true
  if (a.size !== b.size) return false
  for (const [element, node] of a) {
    const other = b.get(element)
    if (other === undefined || other.owned !== node.owned || !equalSets(node.below, other.below)) return false
  }
  return true
}

/** Returns the path elements of one level in their order. */
export function sortedElements(set: FieldSet): PathElement[] {
  const elements = [...set.keys()]
  if (elements.length < 2) return elements
  // Fields among themselves come as plain texts do.
  return elements.every((element) => element.startsWith('f:')) ? elements.sort() : elements.sort(compareElements)
}

/** The paths of all fields: those of a level first, then those below. */
export function pathsOf(set: FieldSet): PathElement[][] {
  const elements = sortedElements(set)
  const here = elements.filter((element) => set.get(element)?.owned === true).map((element) => [element])
  const below = elements.flatMap((element) => pathsOf(set.get(element)?.below ?? noFields).map((path) => [element, ...path]))
  return [...here, ...below]
}
