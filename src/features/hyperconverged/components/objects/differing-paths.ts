import { deepEqual } from '#apimachinery/equality.ts'
import { isJsonObject } from '#apimachinery/own-property.ts'
import { parseQuantity, QuantityError } from '#apimachinery/quantity.ts'
import type { FieldPath } from '../../value-at.ts'

/**
 * Returns the paths at which an object differs from what is wanted of it. More fields than wanted
 * are no difference, since others own them; the same quantity in another notation is none either.
 * Pure.
 */
export function differingPaths(wanted: unknown, present: unknown, path: FieldPath = []): readonly FieldPath[] {
  if (isJsonObject(wanted) && isJsonObject(present))
    return Object.entries(wanted).flatMap(([key, value]) => differingPaths(value, present[key], [...path, key]))
  // A server fills defaults in the items of a list, too.
  if (Array.isArray(wanted) && Array.isArray(present) && wanted.length === present.length)
    return wanted.every((item, index) => differingPaths(item, (present as readonly unknown[])[index]).length === 0) ? [] : [path]
  // A server may drop an empty object.
  if (isJsonObject(wanted) && Object.keys(wanted).length === 0 && (present === undefined || present === null)) return []
  return deepEqual(wanted, present) || isSameQuantity(wanted, present) ? [] : [path]
}

function isSameQuantity(one: unknown, other: unknown): boolean {
  const amounts = [one, other].map(amountOf)
  return amounts[0] !== undefined && amounts[0] === amounts[1]
}

function amountOf(value: unknown): bigint | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  try {
    return parseQuantity(value).nanos
  } catch (error) {
    if (error instanceof QuantityError) return undefined
    throw error
  }
}
