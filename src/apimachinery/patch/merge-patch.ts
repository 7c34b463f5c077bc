import { deepEqual } from '../equality.ts'
import { getOwn, isJsonObject, setOwnInto } from '../own-property.ts'

function mergeInto(result: Record<string, unknown>, key: string, change: unknown): boolean {
  const before = getOwn(result, key)
  if (change === null) {
    if (!Object.hasOwn(result, key)) return false
    delete result[key]
    return true
  }
  const after = applyMergePatch(before, change)
  if (after === before && Object.hasOwn(result, key)) return false
  setOwnInto(result, key, after)
  return true
}

/**
 * Applies a JSON merge patch (RFC 7386): objects are merged, null removes, everything else
 * replaces. Mutates nothing; unchanged parts are shared with the target, and the same target is
 * returned when the patch changes nothing.
 */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return target === patch ? target : patch
  const isObject = isJsonObject(target)
  const result: Record<string, unknown> = isObject ? { ...target } : {}
  let changed = !isObject
  for (const key of Object.keys(patch)) {
    if (patch[key] !== undefined && mergeInto(result, key, patch[key])) changed = true
  }
  return changed ? result : target
}

/**
 * The smallest merge patch that turns `from` into `to`: undefined when they are equal. A merge
 * patch cannot express null, so a null inside an object of `to` comes out as an absent key.
 */
export function createMergePatch(from: unknown, to: unknown): unknown {
  if (deepEqual(from, to)) return undefined
  if (!isJsonObject(from) || !isJsonObject(to)) return to
  const patch: Record<string, unknown> = {}
  for (const key of Object.keys(from)) {
    const gone = getOwn(to, key) === undefined
    if (gone && from[key] !== undefined) setOwnInto(patch, key, null)
  }
  for (const key of Object.keys(to)) {
    if (to[key] === undefined) continue
    const change = createMergePatch(getOwn(from, key), to[key])
    if (change !== undefined) setOwnInto(patch, key, change)
  }
  return patch
}
