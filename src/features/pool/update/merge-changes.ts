import { deepEqual } from '#apimachinery/equality.ts'
import { getOwn, isJsonObject, setOwnInto } from '#apimachinery/own-property.ts'

/**
 * Applies to `live` what changes between `base` and `next`, and keeps what others have added to
 * `live`: labels, hotplugged disks, the UUID of the firmware. Lists whose items have names are
 * merged by name, other lists are replaced as a whole. Where both changed a value, `next` wins.
 * Pure; JSON values.
 */
export function mergeChanges(base: unknown, next: unknown, live: unknown): unknown {
  if (deepEqual(base, next)) return live
  if (isJsonObject(next) && isJsonObject(live)) return mergeObjects(isJsonObject(base) ? base : {}, next, live)
  if (isNamedList(next) && isNamedList(live)) return mergeLists(isNamedList(base) ? base : [], next, live)
  return next
}

type JsonObject = Record<string, unknown>

function mergeObjects(base: JsonObject, next: JsonObject, live: JsonObject): JsonObject {
  const result = { ...live }
  for (const key of new Set([...Object.keys(base), ...Object.keys(next)])) {
    const wanted = getOwn(next, key)
    const value = wanted === undefined ? undefined : mergeChanges(getOwn(base, key), wanted, getOwn(live, key))
    if (value === undefined) delete result[key]
    else setOwnInto(result, key, value)
  }
  return result
}

interface Named {
  readonly name: string
}

function isNamedList(value: unknown): value is readonly Named[] {
  return Array.isArray(value) && value.every((item) => isJsonObject(item) && typeof item['name'] === 'string')
}

function mergeLists(base: readonly Named[], next: readonly Named[], live: readonly Named[]): unknown[] {
  const byName = (list: readonly Named[], { name }: Named): Named | undefined => list.find((item) => item.name === name)
  const wanted = next.map((item) => mergeChanges(byName(base, item), item, byName(live, item))).filter((item) => item !== undefined)
  const added = live.filter((item) => byName(base, item) === undefined && byName(next, item) === undefined)
  return [...wanted, ...added]
}
