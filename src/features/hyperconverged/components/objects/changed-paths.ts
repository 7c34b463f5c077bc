import { deepEqual } from '#apimachinery/equality.ts'
import { isJsonObject } from '#apimachinery/own-property.ts'
import type { FieldPath } from '../../value-at.ts'

/**
 * Returns the paths of fields that differ. Objects are compared field by field, also those that are
 * new; lists are compared as a whole. Pure.
 */
export function changedPaths(before: unknown, after: unknown, path: FieldPath = []): readonly FieldPath[] {
  if (isJsonObject(before) && isJsonObject(after))
    return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) =>
      changedPaths(before[key], after[key], [...path, key]),
    )
  if (isJsonObject(after) && before === undefined && Object.keys(after).length > 0)
    return Object.keys(after).flatMap((key) => changedPaths(undefined, after[key], [...path, key]))
  return deepEqual(before, after) ? [] : [path]
}
