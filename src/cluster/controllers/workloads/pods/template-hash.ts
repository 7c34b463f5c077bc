import type { PodTemplateSpec } from '#api/core/v1/pod.ts'

/** Letters and digits that form no words, as in generated names. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789'

/**
 * Returns a short hash of a template, independent of the order of its fields. `collisions` changes
 * the hash. Pure.
 */
export function templateHash(template: PodTemplateSpec, collisions: number): string {
  const sum = fnv32a(`${canonicalJson(template)}/${collisions}`)
  return Array.from(String(sum), (digit) => alphabet[digit.charCodeAt(0) % alphabet.length]).join('')
}

/** JSON with sorted keys and without null or absent values. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const entries = Object.entries(value).filter(([, item]) => item !== undefined && item !== null)
  return `{${entries
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`)
    .join(',')}}`
}

/** Fowler, Noll and Vo's hash, 32 bits, variant 1a, of the UTF-8 bytes. */
function fnv32a(text: string): number {
  let hash = 0x811c9dc5
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  return hash
}
