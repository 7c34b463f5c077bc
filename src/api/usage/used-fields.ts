import { deepEqual } from '#apimachinery/equality.ts'

/**
 * Returns the patterns that match a field of an object. A pattern is a path such as
 * `domain.devices.disks[].shareable`; `[]` stands for any item. A field with the value false or
 * null does not match.
 */
export function usedFields(object: unknown, patterns: readonly string[]): readonly string[] {
  return patterns.filter((pattern) => isUsed(object, pattern.replaceAll('[]', '.[]').split('.')))
}

function isUsed(value: unknown, [key, ...rest]: readonly string[]): boolean {
  if (key === undefined) return value !== undefined && value !== null && value !== false
  if (key === '[]') return Array.isArray(value) && value.some((item) => isUsed(item, rest))
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return false
  return isUsed((value as Record<string, unknown>)[key], rest)
}

/** Returns the patterns whose fields are used, and differ from those of an older object. Pure. */
export function changedFields(object: unknown, old: unknown, patterns: readonly string[]): readonly string[] {
  return usedFields(object, patterns).filter((pattern) => {
    const path = pattern.replaceAll('[]', '.[]').split('.')
    return !deepEqual(valuesAt(object, path), valuesAt(old, path))
  })
}

function valuesAt(value: unknown, [key, ...rest]: readonly string[]): readonly unknown[] {
  if (key === undefined) return [value]
  if (key === '[]') return Array.isArray(value) ? value.flatMap((item) => valuesAt(item, rest)) : []
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return []
  return valuesAt((value as Record<string, unknown>)[key], rest)
}
