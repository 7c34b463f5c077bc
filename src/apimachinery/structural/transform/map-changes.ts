import { setOwnInto } from '#apimachinery/own-property.ts'

/** A list with each item mapped; the very same list when no item changes. */
export function mapItems(list: readonly unknown[], change: (item: unknown, index: number) => unknown): readonly unknown[] {
  let result: unknown[] | undefined
  for (let index = 0; index < list.length; index += 1) {
    const item = list[index]
    const changed = change(item, index)
    if (changed === item) continue
    result ??= [...list]
    result[index] = changed
  }
  return result ?? list
}

/** Marker for {@link mapFields} to remove a field. */
export const removed: unique symbol = Symbol('removed')

type JsonObject = Readonly<Record<string, unknown>>

/** An object with each field mapped, or removed; the very same object when no field changes. */
export function mapFields(object: JsonObject, change: (value: unknown, key: string) => unknown): JsonObject {
  let result: Record<string, unknown> | undefined
  for (const key of Object.keys(object)) {
    const value = object[key]
    const changed = change(value, key)
    if (changed === value) continue
    result ??= { ...object }
    if (changed === removed) delete result[key]
    else setOwnInto(result, key, changed)
  }
  return result ?? object
}
