import { isJsonObject, setOwnInto } from '#apimachinery/own-property.ts'

/**
 * Returns the leaves of a document by path: `spec.domain.devices.disks[0].name`,
 * `metadata.annotations[a.b/c]`. Empty containers are leaves.
 */
export function leavesOf(document: unknown): ReadonlyMap<string, unknown> {
  const leaves = new Map<string, unknown>()
  collectInto(leaves, '', document)
  return leaves
}

/** Compares leaves: scalars by value, empty containers by kind. */
export function sameLeaf(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  return typeof a === 'object' && typeof b === 'object' && a !== null && b !== null && Array.isArray(a) === Array.isArray(b)
}

/**
 * Returns the document without the value at `path`, and without containers that become empty, since
 * an empty one can have a meaning. Shares unchanged parts with the original.
 */
export function without<T>(document: T, path: string): T | undefined {
  return prune(document, '', path) as T | undefined
}

function collectInto(leaves: Map<string, unknown>, path: string, value: unknown): void {
  if (value === undefined) return
  if (Array.isArray(value) && value.length > 0) {
    for (let index = 0; index < value.length; index += 1) collectInto(leaves, `${path}[${index}]`, value[index])
    return
  }
  const keys = isJsonObject(value) ? Object.keys(value) : []
  if (keys.length === 0) leaves.set(path, value)
  else for (const key of keys) collectInto(leaves, childPath(path, key), (value as Record<string, unknown>)[key])
}

function prune(value: unknown, at: string, path: string): unknown {
  if (at === path) return undefined
  if (!path.startsWith(at)) return value
  if (Array.isArray(value)) {
    const items = value.map((item, index) => prune(item, `${at}[${index}]`, path))
    if (items.every((item, index) => item === value[index])) return value
    const kept = items.filter((item) => item !== undefined)
    return kept.length === 0 ? undefined : kept
  }
  if (!isJsonObject(value)) return value
  const kept: Record<string, unknown> = {}
  let isChanged = false
  for (const [key, item] of Object.entries(value)) {
    const rest = prune(item, childPath(at, key), path)
    if (rest !== item) isChanged = true
    if (rest !== undefined) setOwnInto(kept, key, rest)
  }
  if (!isChanged) return value
  return Object.keys(kept).length === 0 ? undefined : kept
}

const isPlainKey = /^[A-Za-z_$][\w$-]*$/

/**
 * Returns the path of a member: `spec.domain`, or `metadata.annotations[a.b/c]` for keys with other
 * characters.
 */
export function childPath(parent: string, key: string): string {
  if (!isPlainKey.test(key)) return `${parent}[${key}]`
  return parent === '' ? key : `${parent}.${key}`
}
