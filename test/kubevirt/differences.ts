import { isDeepStrictEqual } from 'node:util'

/**
 * Returns the places at which two JSON documents differ, outermost first, as
 * `path: value of the first -> value of the second`.
 */
export function differencesOf(first: unknown, second: unknown, path = ''): string[] {
  if (isDeepStrictEqual(first, second)) return []
  if (Array.isArray(first) && Array.isArray(second) && first.length === second.length)
    return first.flatMap((item, index) => differencesOf(item, second[index], `${path}[${index}]`))
  if (isObject(first) && isObject(second)) {
    const keys = [...new Set([...Object.keys(first), ...Object.keys(second)])]
    return keys.flatMap((key) => differencesOf(first[key], second[key], path === '' ? key : `${path}.${key}`))
  }
  return [`${path}: ${JSON.stringify(first)} -> ${JSON.stringify(second)}`]
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
