import { isJsonObject, setOwnInto } from './own-property.ts'

/** A deep copy of a JSON value. */
export function cloneJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cloneJson)
  if (!isJsonObject(value)) return value
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value)) setOwnInto(copy, key, cloneJson(value[key]))
  return copy
}
