/**
 * Which of some fields an object uses. `patterns` are paths, as `domain.devices.disks[].shareable`;
 * `[]` stands for any item. What is switched off asks for nothing.
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
