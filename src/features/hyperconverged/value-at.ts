import { isJsonObject } from '#apimachinery/own-property.ts'

/** Path of a field, key by key. */
export type FieldPath = readonly string[]

type JsonObject = Readonly<Record<string, unknown>>

/** Returns the value at a path; undefined where an object is missing on the way. Pure. */
export function valueAt(value: unknown, path: FieldPath): unknown {
  return path.reduce<unknown>((at, key) => (isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined), value)
}

/** Returns a copy with the value at a path; objects on the way are created. Pure. */
export function withValueAt(value: unknown, path: FieldPath, next: unknown): unknown {
  const [key, ...rest] = path
  if (key === undefined) return next
  const object: JsonObject = isJsonObject(value) ? value : {}
  return { ...object, [key]: withValueAt(Object.hasOwn(object, key) ? object[key] : undefined, rest, next) }
}

/** Returns a copy without the field at a path. Objects that become empty stay. Pure. */
export function withoutValueAt(value: unknown, path: FieldPath): unknown {
  const [key, ...rest] = path
  if (key === undefined || !isJsonObject(value) || !Object.hasOwn(value, key)) return value
  if (rest.length > 0) return { ...value, [key]: withoutValueAt(value[key], rest) }
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key))
}

/** Reports whether a path is at or below another one. Pure. */
export function startsWith(path: FieldPath, start: FieldPath): boolean {
  return start.every((key, index) => path[index] === key)
}
