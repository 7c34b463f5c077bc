/** A field that an object uses although nothing acts on it yet is kept, and its user is told. `patterns` are paths below the spec; `[]` stands for any item. */
export function warnOfFieldsNotActedOn(spec: unknown, patterns: readonly string[]): string[] {
  return patterns
    .filter((pattern) => isUsed(spec, pattern.replaceAll('[]', '.[]').split('.')))
    .map((pattern) => `spec.${pattern} is kept, but nothing acts on it yet`)
}

function isUsed(value: unknown, [key, ...rest]: readonly string[]): boolean {
  if (key === undefined) return value !== undefined && value !== null
  if (key === '[]') return Array.isArray(value) && value.some((item) => isUsed(item, rest))
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return false
  return isUsed((value as Record<string, unknown>)[key], rest)
}
