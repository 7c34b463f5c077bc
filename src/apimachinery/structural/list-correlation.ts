import { getOwn, isJsonObject } from '../own-property.ts'
import type { StructuralSchema } from './schema.ts'
import { uncorrelated } from './validation/validation-walk.ts'

/**
 * Returns the keys of an item of a `list-type: map` list as one text; undefined for other values.
 */
function mapKeyOf(item: unknown, keys: readonly string[]): string | undefined {
  return isJsonObject(item) ? JSON.stringify(keys.map((key) => getOwn(item, key) ?? null)) : undefined
}

function nowhere(): typeof uncorrelated {
  return uncorrelated
}

/**
 * Finds the old item for a new one. Only items of `list-type: map` lists have an identity besides
 * their index, and an index means nothing after an insertion.
 */
export function correlateItems(schema: StructuralSchema, old: unknown): (item: unknown) => unknown {
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  if (!Array.isArray(old) || schema['x-kubernetes-list-type'] !== 'map' || keys.length === 0) return nowhere
  const items = new Map<string | undefined, unknown>(old.map((item) => [mapKeyOf(item, keys), item]))
  return (item) => {
    const key = mapKeyOf(item, keys)
    return key !== undefined && items.has(key) ? items.get(key) : uncorrelated
  }
}
