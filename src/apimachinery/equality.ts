import { isJsonObject } from './own-property.ts'

type Missing = (value: unknown) => boolean

function sizeWithout(value: Readonly<Record<string, unknown>>, missing: Missing): number {
  let size = 0
  for (const key of Object.keys(value)) if (!missing(value[key])) size += 1
  return size
}

function equalObjects(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>, missing: Missing): boolean {
  let present = 0
  for (const key of Object.keys(a)) {
    const left = a[key]
    if (missing(left)) continue
    present += 1
    if (!Object.hasOwn(b, key) || !equal(left, b[key], missing)) return false
  }
  return present === sizeWithout(b, missing)
}

function equal(a: unknown, b: unknown, missing: Missing): boolean {
  if (Object.is(a, b)) return true
  if (missing(a) || missing(b)) return missing(a) && missing(b)
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => equal(item, b[index], missing))
  }
  if (isJsonObject(a)) return isJsonObject(b) && equalObjects(a, b, missing)
  return a === b
}

const isUndefined: Missing = (value) => value === undefined
const isNothing: Missing = (value) => value === undefined || value === null

/**
 * Reports whether two JSON values are equal. The order of keys does not count; a key with the value
 * undefined counts as absent, as in JSON.
 */
export function deepEqual(a: unknown, b: unknown): boolean {
  return equal(a, b, isUndefined)
}

/**
 * Reports whether two JSON values are equal to Kubernetes: undefined, null and absent are the same.
 * The order of keys does not count.
 */
export function semanticEqual(a: unknown, b: unknown): boolean {
  return equal(a, b, isNothing)
}

/**
 * Freezes a JSON value recursively, and returns it. A value that is already frozen is assumed to be
 * frozen recursively.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const item of Object.values(value)) deepFreeze(item)
  return value
}
