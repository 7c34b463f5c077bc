export { validateLabels, validateObjectMeta } from './meta/object-meta-rules.ts'
export type { ObjectMetaRules } from './meta/object-meta-rules.ts'
export { validateName, validateQualifiedName } from './meta/name-rules.ts'
export type { NameKind } from './meta/name-rules.ts'

/** No vowels and no look-alikes, so that no words appear. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789'
const longestPrefix = 58

/**
 * A name that starts with (the first 58 characters of) the prefix and ends in five random
 * characters. `random` yields numbers in [0, 1).
 */
export function generateName(prefix: string, random: () => number): string {
  let name = prefix.slice(0, longestPrefix)
  for (let index = 0; index < 5; index += 1) name += alphabet[Math.floor(random() * alphabet.length)] ?? 'b'
  return name
}
