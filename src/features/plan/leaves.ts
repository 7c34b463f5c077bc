import { isJsonObject } from '#apimachinery/own-property.ts'

/** The leaves of a document by path, spelled as in `Expansion.sources`. What is empty is a leaf, too. */
export function leavesOf(document: unknown): ReadonlyMap<string, unknown> {
  const leaves = new Map<string, unknown>()
  collectInto(leaves, '', document)
  return leaves
}

function collectInto(leaves: Map<string, unknown>, path: string, value: unknown): void {
  if (value === undefined) return
  if (Array.isArray(value) && value.length > 0) {
    for (const [index, item] of value.entries()) collectInto(leaves, `${path}[${index}]`, item)
    return
  }
  const entries = isJsonObject(value) ? Object.entries(value) : []
  if (entries.length === 0) leaves.set(path, value)
  for (const [key, item] of entries) collectInto(leaves, pathOf(path, key), item)
}

function pathOf(parent: string, key: string): string {
  if (!/^[A-Za-z_$][\w$-]*$/.test(key)) return `${parent}[${key}]`
  return parent === '' ? key : `${parent}.${key}`
}
