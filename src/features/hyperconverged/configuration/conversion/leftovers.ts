import { deepEqual } from '#apimachinery/equality.ts'
import { isJsonObject } from '#apimachinery/own-property.ts'
import { valueAt, withoutValueAt, withValueAt, type FieldPath } from '../../value-at.ts'

/** A field that another version cannot express. */
export interface Leftover {
  readonly path: FieldPath
  /** Value in the version that has the field; absent: the field is absent. */
  readonly value?: unknown
  /** Value that the other version converts to; absent: none. */
  readonly seen?: unknown
}

/**
 * Returns the fields in which an original differs from what its conversion converts back to. Pure.
 */
export function leftoversOf(original: unknown, back: unknown, path: FieldPath = []): readonly Leftover[] {
  if (deepEqual(original, back)) return []
  const keys = (value: unknown): readonly string[] => (isJsonObject(value) ? Object.keys(value) : [])
  const isNested = isJsonObject(original) && (isJsonObject(back) || (back === undefined && keys(original).length > 0))
  if (!isNested) return [{ path, ...(original === undefined ? {} : { value: original }), ...(back === undefined ? {} : { seen: back }) }]
  const all = new Set([...keys(original), ...keys(back)])
  return [...all].flatMap((key) => leftoversOf(valueAt(original, [key]), valueAt(back, [key]), [...path, key]))
}

/**
 * Restores leftovers in a converted spec. A field that has changed since in the other version keeps
 * its change. Pure.
 */
export function restoreLeftovers(converted: unknown, leftovers: readonly Leftover[]): unknown {
  return leftovers.reduce<unknown>((spec, { path, value, seen }) => {
    if (!deepEqual(valueAt(converted, path), seen)) return spec
    return value === undefined ? withoutValueAt(spec, path) : withValueAt(spec, path, value)
  }, converted)
}

/** Reads leftovers from an annotation that any user may have written. Pure. */
export function readLeftovers(value: unknown): readonly Leftover[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((item: unknown): Leftover[] => {
    if (!isJsonObject(item)) return []
    const { path } = item
    if (!Array.isArray(path) || path.length === 0 || !path.every((key) => typeof key === 'string')) return []
    return [{ ...item, path }]
  })
}
