import { deepEqual } from '../equality.ts'
import { goText } from '../fields/go-text.ts'
import { getOwn, isJsonObject, setOwnInto } from '../own-property.ts'
import type { StructuralSchema } from '../structural/schema.ts'
import { orderMergedList } from './element-order.ts'

/**
 * A strategic merge patch is malformed: an unknown directive, or a list item without its merge key.
 */
export class StrategicMergeError extends Error {
  override readonly name = 'StrategicMergeError'
}

/** An item of a list lacks the key by which items are merged. */
export class MissingMergeKey extends StrategicMergeError {}

type JsonObject = Readonly<Record<string, unknown>>

const directive = '$patch'
const retainKeys = '$retainKeys'
const setElementOrder = '$setElementOrder/'
const deleteFromPrimitiveList = '$deleteFromPrimitiveList/'

function isDirectiveKey(key: string): boolean {
  return key === directive || key === retainKeys || key.startsWith(setElementOrder) || key.startsWith(deleteFromPrimitiveList)
}

function listOf(patch: JsonObject, key: string): readonly unknown[] | undefined {
  const list = getOwn(patch, key)
  if (list === undefined || list === null) return undefined
  if (!Array.isArray(list)) throw new StrategicMergeError(`Directive ${JSON.stringify(key)} must be a list`)
  return list
}

function schemaOf(schema: StructuralSchema | undefined, key: string): StructuralSchema | undefined {
  const { properties, additionalProperties } = schema ?? {}
  if (properties !== undefined && Object.hasOwn(properties, key)) return properties[key]
  return typeof additionalProperties === 'object' ? additionalProperties : undefined
}

function hasStrategy(schema: StructuralSchema | undefined, strategy: string): boolean {
  return (schema?.['x-kubernetes-patch-strategy'] ?? '').split(',').includes(strategy)
}

function retained(target: JsonObject, patch: JsonObject): Record<string, unknown> {
  const keys = listOf(patch, retainKeys)
  if (keys === undefined) return { ...target }
  const stray = Object.keys(patch).find((key) => !isDirectiveKey(key) && patch[key] !== null && !keys.includes(key))
  if (stray !== undefined)
    throw new StrategicMergeError(`Directive "${retainKeys}" must name every field of the patch, and lacks "${stray}"`)
  const result: Record<string, unknown> = {}
  for (const key of Object.keys(target)) if (keys.includes(key)) setOwnInto(result, key, target[key])
  return result
}

/** The patch as plain data, for where there is nothing to merge with. */
function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.filter((item) => !(isJsonObject(item) && Object.hasOwn(item, directive))).map(withoutDirectives)
  }
  if (!isJsonObject(value)) return value
  const result: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    if (!isDirectiveKey(key) && value[key] !== null) setOwnInto(result, key, withoutDirectives(value[key]))
  }
  return result
}

function mergeObject(target: JsonObject, patch: JsonObject, schema: StructuralSchema | undefined): unknown {
  switch (getOwn(patch, directive)) {
    case undefined:
    case 'merge':
      break
    case 'replace':
      return withoutDirectives(patch)
    case 'delete':
      return {}
    default:
      throw new StrategicMergeError(`Directive "${directive}" must be merge, replace or delete, and is ${JSON.stringify(patch[directive])}`)
  }
  const result = retained(target, patch)
  for (const key of fieldsOf(patch)) {
    const value = mergeField(getOwn(result, key), patch, key, schemaOf(schema, key))
    if (value === undefined) delete result[key]
    else setOwnInto(result, key, value)
  }
  return result
}

/** The fields that a patch touches, be it only by a directive about the field. */
function fieldsOf(patch: JsonObject): Set<string> {
  const fields = new Set<string>()
  for (const key of Object.keys(patch)) {
    if (key.startsWith(setElementOrder)) fields.add(key.slice(setElementOrder.length))
    else if (key.startsWith(deleteFromPrimitiveList)) fields.add(key.slice(deleteFromPrimitiveList.length))
    else if (!isDirectiveKey(key)) fields.add(key)
  }
  return fields
}

function mergeField(before: unknown, patch: JsonObject, key: string, schema: StructuralSchema | undefined): unknown {
  const change = getOwn(patch, key)
  if (change === null) return undefined
  const deletions = listOf(patch, deleteFromPrimitiveList + key)
  const order = listOf(patch, setElementOrder + key)
  if (Array.isArray(change) || change === undefined) return mergeListField(before, { items: change, deletions, order }, schema)
  if (!isJsonObject(change)) return change
  // An absent value can be neither replaced nor deleted.
  if (before === undefined && Object.hasOwn(change, directive)) return undefined
  return mergeObject(isJsonObject(before) && !hasStrategy(schema, 'replace') ? before : {}, change, schema)
}

interface ListChange {
  readonly items: readonly unknown[] | undefined
  readonly deletions: readonly unknown[] | undefined
  readonly order: readonly unknown[] | undefined
}

function mergeListField(before: unknown, change: ListChange, schema: StructuralSchema | undefined): unknown {
  const target = Array.isArray(before) ? (before as readonly unknown[]) : undefined
  // A directive about a list that is not there has nothing to do.
  if (target === undefined && change.items === undefined) return before
  if (!hasStrategy(schema, 'merge')) return change.items === undefined ? before : withoutDirectives(change.items)
  const items = change.items ?? []
  const mergeKey = schema?.['x-kubernetes-patch-merge-key']
  const some = [...items, ...(target ?? [])].find((item) => item !== undefined)
  if (!isJsonObject(some)) return mergeScalars(target ?? [], items, change)
  if (mergeKey === undefined)
    throw new StrategicMergeError('List of objects must have a merge key in its schema to be merged, and has none')
  return mergeKeyed(target ?? [], items, change.order, { mergeKey, schema: schema?.items })
}

function mergeScalars(target: readonly unknown[], items: readonly unknown[], change: ListChange): unknown[] {
  const deleted = new Set(change.deletions)
  const merged = [...new Set([...target, ...items])].filter((item) => !deleted.has(item))
  return orderMergedList(merged, change.order ?? items, target, (item) => item)
}

interface KeyedList {
  readonly mergeKey: string
  readonly schema: StructuralSchema | undefined
}

function keyOf(item: unknown, mergeKey: string): unknown {
  const key = isJsonObject(item) ? getOwn(item, mergeKey) : undefined
  if (key === undefined) throw new MissingMergeKey(`map: ${goText(item)} does not contain declared merge key: ${mergeKey}`)
  return key
}

function mergeKeyed(
  target: readonly unknown[],
  items: readonly unknown[],
  order: readonly unknown[] | undefined,
  list: KeyedList,
): unknown[] {
  const { mergeKey } = list
  const isReplacement = (item: unknown): boolean => isJsonObject(item) && getOwn(item, directive) === 'replace'
  if (items.some(isReplacement)) return withoutDirectives(items) as unknown[]
  let merged = [...target]
  const changes: unknown[] = []
  const added: unknown[] = []
  for (const item of items) {
    const key = keyOf(item, mergeKey)
    const same = (other: unknown): boolean => isJsonObject(other) && getOwn(other, mergeKey) === key
    if (isJsonObject(item) && getOwn(item, directive) === 'delete') merged = merged.filter((other) => !same(other))
    else {
      changes.push(item)
      const index = merged.findIndex(same)
      const value = mergeObject((merged[index] ?? {}) as JsonObject, item as JsonObject, list.schema)
      if (index < 0) added.push(value)
      if (index < 0) merged.push(value)
      else merged[index] = value
    }
  }
  const itemKey = (item: unknown): unknown => (isJsonObject(item) ? getOwn(item, mergeKey) : undefined)
  if (order === undefined) return orderMergedList(merged, changes, target, itemKey)
  return orderMergedList(merged, order, placesAfterDeletion(target, merged, added), itemKey)
}

/**
 * Computes positions after deletions: an added item takes the place of a deleted one, as if it
 * replaced it. kube-apiserver does the same, so that a renamed container keeps its place.
 */
function placesAfterDeletion(target: readonly unknown[], merged: readonly unknown[], added: readonly unknown[]): readonly unknown[] {
  return merged.length - added.length === target.length ? target : merged.slice(0, target.length)
}

/**
 * Applies a strategic merge patch: objects merge, null removes, and lists merge by key or value
 * where the schema declares `x-kubernetes-patch-strategy` and `x-kubernetes-patch-merge-key`, and
 * are replaced elsewhere. Supports the directives `$patch`, `$retainKeys`,
 * `$setElementOrder/<list>` and `$deleteFromPrimitiveList/<list>`. Mutates nothing, and returns the
 * same target when nothing changes.
 * @throws {StrategicMergeError} when a directive is unknown or an item lacks its merge key
 */
export function applyStrategicMerge(target: unknown, patch: unknown, schema: StructuralSchema): unknown {
  if (!isJsonObject(patch)) throw new StrategicMergeError('Strategic merge patch must be an object')
  const result = mergeObject(isJsonObject(target) ? target : {}, patch, schema)
  return deepEqual(result, target) ? target : result
}
