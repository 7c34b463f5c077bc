import { setOwnInto } from '#apimachinery/own-property.ts'

/** Deep copy without undefined fields, like a JSON round trip. */
export function wireCopy<T>(value: T): T {
  return copy(value) as T
}

function copy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item: unknown) => (item === undefined ? null : copy(item)))
  const result: Record<string, unknown> = {}
  for (const [key, item] of Object.entries(value)) if (item !== undefined) setOwnInto(result, key, copy(item))
  return result
}
