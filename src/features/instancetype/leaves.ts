import { isJsonObject, setOwnInto } from '#apimachinery/own-property.ts'

/**
 * The leaves of a document by path (`spec.domain.devices.disks[0].name`,
 * `metadata.annotations[a.b/c]`). What is empty is a leaf, too.
 */
export function leavesOf(document: unknown): ReadonlyMap<string, unknown> {
  const leaves = new Map<string, unknown>()
  collectInto(leaves, '', document)
  return leaves
}

/** Whether two leaves are the same: scalars by value, and what is empty by its kind. */
export function sameLeaf(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  return typeof a === 'object' && typeof b === 'object' && a !== null && b !== null && Array.isArray(a) === Array.isArray(b)
}

/**
 * The document as it were had nobody written what is at `path`: the value goes, and so does every
 * object and list that held nothing else, because an empty one is something that somebody has said.
 * What is not on the way is shared with the original.
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
 * Path of a member: `spec.domain`, or `metadata.annotations[a.b/c]` where the key is no plain word.
 */
export function childPath(parent: string, key: string): string {
  if (!isPlainKey.test(key)) return `${parent}[${key}]`
  return parent === '' ? key : `${parent}.${key}`
}
