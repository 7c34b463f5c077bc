import { duplicateValue, invalidValue } from '#apimachinery/field-messages.ts'
import { getOwn, isJsonObject } from '#apimachinery/own-property.ts'
import { correlateItems } from '../list-correlation.ts'
import type { StructuralSchema } from '../schema.ts'
import { type Check, isUnchanged, oldField, type ValidationWalk } from './validation-walk.ts'

/** A text that is the same for equal JSON values, whatever the order of their keys. */
function identity(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(identity).join(',')}]`
  if (!isJsonObject(value)) return JSON.stringify(value) ?? ''
  const keys = Object.keys(value).toSorted()
  return `{${keys.map((key) => `${JSON.stringify(key)}:${identity(value[key])}`).join(',')}}`
}

/** Indexes of the second appearance of each repeated item; further ones are not reported. */
function repeated(items: readonly unknown[]): number[] {
  const seen = new Map<string, number>()
  return items.flatMap((item, index) => {
    const text = identity(item)
    const times = seen.get(text) ?? 0
    seen.set(text, times + 1)
    return times === 1 ? [index] : []
  })
}

/** Fast path: nearly every list has distinct strings, or is keyed by them. */
function areDifferentTexts(list: readonly unknown[], textOf: (item: unknown) => unknown): boolean {
  const seen = new Set<unknown>()
  for (const item of list) {
    const text = textOf(item)
    if (typeof text !== 'string') return false
    seen.add(text)
  }
  return seen.size === list.length
}

function reportDuplicates(items: readonly unknown[], walk: ValidationWalk): void {
  for (const index of repeated(items)) walk.report(duplicateValue(`${walk.location.toString()}[${index}]`, items[index]))
}

function keysOfItem(item: unknown, keys: readonly string[]): unknown {
  if (!isJsonObject(item)) return {}
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(item, key)).map((key) => [key, getOwn(item, key)]))
}

function checkKeyed(list: readonly unknown[], keys: readonly string[], walk: ValidationWalk): void {
  const [key] = keys
  if (key !== undefined && areDifferentTexts(list, (item) => (isJsonObject(item) ? getOwn(item, key) : undefined))) return
  const stray = list.findIndex((item) => item !== null && !isJsonObject(item))
  if (stray >= 0) {
    const why = 'must be an object for an array of list-type map'
    walk.report(invalidValue(`${walk.location.toString()}[${stray}]`, list[stray], why))
  } else if (list.length > 1)
    reportDuplicates(
      list.map((item) => keysOfItem(item, keys)),
      walk,
    )
}

function checkOwnKeys(schema: StructuralSchema): ((list: readonly unknown[], walk: ValidationWalk) => void) | undefined {
  const listType = schema['x-kubernetes-list-type']
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  if (listType === 'map') return (list, walk) => checkKeyed(list, keys, walk)
  if (listType !== 'set') return undefined
  return (list, walk) => {
    if (list.length > 1 && !areDifferentTexts(list, (item) => item)) reportDuplicates(list, walk)
  }
}

function checkListItems(schema: StructuralSchema): Check | undefined {
  const own = checkOwnKeys(schema)
  const items = schema.items === undefined ? undefined : checkListKeys(schema.items)
  if (own === undefined && items === undefined) return undefined
  return (value, old, walk) => {
    if (!Array.isArray(value)) return
    own?.(value, walk)
    if (items === undefined) return
    const oldItem = correlateItems(schema, old)
    for (let index = 0; index < value.length; index += 1) walk.inside(index, items, value[index], oldItem(value[index]))
  }
}

function checkObjectFields(schema: StructuralSchema): Check | undefined {
  const fields = new Map<string, { step: string; check: Check }>()
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    const check = checkListKeys(property)
    if (check !== undefined) fields.set(key, { step: `.${key}`, check })
  }
  const { additionalProperties } = schema
  const others = typeof additionalProperties === 'object' ? checkListKeys(additionalProperties) : undefined
  if (fields.size === 0 && others === undefined) return undefined
  return (value, old, walk) => {
    if (!isJsonObject(value)) return
    for (const [key, field] of fields) {
      const item = getOwn(value, key)
      if (item !== undefined) walk.inside(field.step, field.check, item, oldField(old, key))
    }
    if (others === undefined) return
    for (const key of Object.keys(value)) {
      if (!Object.hasOwn(schema.properties ?? {}, key)) walk.inside(`[${key}]`, others, value[key], oldField(old, key))
    }
  }
}

/**
 * Items of `list-type: set` must differ, and those of `map` in their keys. Undefined when the
 * schema has no such list.
 */
export function checkListKeys(schema: StructuralSchema): Check | undefined {
  const list = checkListItems(schema)
  const fields = checkObjectFields(schema)
  if (list === undefined && fields === undefined) return undefined
  return (value, old, walk) => {
    if (isUnchanged(value, old)) return
    list?.(value, old, walk)
    fields?.(value, old, walk)
  }
}
