import { isJsonObject, setOwnInto } from '../own-property.ts'

/** A deep copy of a JSON value. */
export function cloneJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cloneJson)
  if (!isJsonObject(value)) return value
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value)) setOwnInto(copy, key, cloneJson(value[key]))
  return copy
}

/**
 * Returns a deep copy of a JSON value without null members of objects, which Kubernetes treats as
 * absent.
 */
export function cloneWithoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cloneWithoutNulls)
  if (!isJsonObject(value)) return value
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const item = value[key]
    if (item !== null && item !== undefined) setOwnInto(copy, key, cloneWithoutNulls(item))
  }
  return copy
}
