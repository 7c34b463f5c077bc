import { parseExactJson } from '../json/long-integers.ts'

/**
 * One step of a path into an object, in the very form that FieldsV1 writes: `f:name` a field,
 * `k:{"name":"x"}` an item of a keyed list, `v:"x"` a value of a set, `i:0` an index. In canonical
 * form, so that two steps are the same when their texts are.
 */
export type PathElement = string

/**
 * Size limit of the caches. Exceeding it clears them, and long texts are not cached: each could be
 * megabytes.
 */
const mostKnown = 10_000
const longestKnown = 256

function remember<V>(memory: Map<string, V>, text: string, value: V): void {
  if (text.length > longestKnown) return
  if (memory.size >= mostKnown) memory.clear()
  memory.set(text, value)
}

/** Text is no path element. */
export class PathElementError extends Error {
  override readonly name = 'PathElementError'
}

/** The step into a field. */
export function fieldElement(name: string): PathElement {
  return `f:${name}`
}

/** The name of a field that a step leads into; undefined for steps into lists. */
export function fieldNameOf(element: PathElement): string | undefined {
  return element.startsWith('f:') ? element.slice(2) : undefined
}

/** The step to a value of a set. */
export function valueElement(value: unknown): PathElement {
  return `v:${JSON.stringify(value)}`
}

/** The path element of an item of a keyed list. Keys may come in any order. */
export function keyElement(keys: Keys): PathElement {
  const [first] = keys
  if (keys.length === 1 && first !== undefined) return `k:{${JSON.stringify(first[0])}:${JSON.stringify(first[1])}}`
  const sorted = keys.toSorted(([a], [b]) => compareText(a, b))
  return `k:{${sorted.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`
}

type Keys = readonly (readonly [name: string, value: unknown])[]

function parseKeys(element: PathElement): Keys {
  const keys = parseExactJson(element.slice(2))
  if (typeof keys !== 'object' || keys === null || Array.isArray(keys)) throw new PathElementError(`${element} must hold an object`)
  return Object.entries(keys)
}

/** Cache of item keys: a cluster has few different ones, and every encoded set compares them. */
const knownKeys = new Map<PathElement, Keys>()

function keysOf(element: PathElement): Keys {
  let keys = knownKeys.get(element)
  if (keys === undefined) {
    keys = parseKeys(element)
    remember(knownKeys, element, keys)
  }
  return keys
}

function parse(text: string): PathElement | undefined {
  if (text.length < 2) throw new PathElementError(`${JSON.stringify(text)} must be 2 characters long`)
  if (text[1] !== ':') throw new PathElementError(`missing colon: ${text}`)
  try {
    switch (text.charAt(0)) {
      case 'f':
        return text
      case 'k':
        return keyElement(keysOf(text))
      case 'v':
        return valueElement(parseExactJson(text.slice(2)))
      case 'i':
        if (!/^-?\d{1,15}$/.test(text.slice(2))) throw new PathElementError(`${text} must hold an integer`)
        return `i:${Number(text.slice(2))}`
      default:
        return undefined
    }
  } catch (error) {
    throw error instanceof SyntaxError ? new PathElementError(`${text} is malformed: ${error.message}`, { cause: error }) : error
  }
}

/** Cache of parsed texts. */
const known = new Map<string, PathElement | undefined>()

/**
 * Parses a path element from a client. Undefined for unknown kinds of elements: a later version may
 * have some.
 * @throws PathElementError when it is malformed
 */
export function parseElement(text: string): PathElement | undefined {
  if (text.startsWith('f:')) return text
  const found = known.get(text)
  if (found !== undefined) return found
  const element = parse(text)
  remember(known, text, element)
  return element
}

function compareText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

function typeRank(value: unknown): number {
  return ['number', 'string', 'boolean', 'object'].indexOf(isNumber(value) ? 'number' : typeof value)
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}

function compareValues(a: unknown, b: unknown): number {
  if (isNumber(a) && isNumber(b)) return a < b ? -1 : a > b ? 1 : 0
  if (typeof a !== typeof b) return typeRank(a) - typeRank(b)
  if (typeof a === 'boolean') return Number(a) - Number(b)
  return compareText(typeof a === 'string' ? a : JSON.stringify(a), typeof b === 'string' ? b : JSON.stringify(b))
}

function compareKeys(a: Keys, b: Keys): number {
  for (const [index, [name, value]] of a.entries()) {
    const other = b[index]
    if (other === undefined) return 1
    const order = compareText(name, other[0]) || compareValues(value, other[1])
    if (order !== 0) return order
  }
  return a.length - b.length
}

const ranks = 'fkvi'

/**
 * The order in which steps are written: fields, then keys, values and indices; numbers as numbers.
 */
export function compareElements(a: PathElement, b: PathElement): number {
  if (a === b) return 0
  const kind = a.charAt(0)
  if (kind !== b.charAt(0)) return ranks.indexOf(kind) - ranks.indexOf(b.charAt(0))
  switch (kind) {
    case 'f':
      return compareText(a, b)
    case 'k':
      return compareKeys(keysOf(a), keysOf(b))
    case 'v':
      return compareValues(parseExactJson(a.slice(2)), parseExactJson(b.slice(2)))
    default:
      return Number(a.slice(2)) - Number(b.slice(2))
  }
}

/** Prints a step in readable form: `.name`, `[name="x"]`, `[="x"]`, `[0]`. */
export function printElement(element: PathElement): string {
  const rest = element.slice(2)
  switch (element.charAt(0)) {
    case 'f':
      return `.${rest}`
    case 'k':
      return `[${keysOf(element)
        .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
        .join(',')}]`
    case 'v':
      return `[=${rest}]`
    default:
      return `[${rest}]`
  }
}

/** Prints a path in readable form: `.spec.list[name="x"].field`. */
export function printPath(path: readonly PathElement[]): string {
  return path.map(printElement).join('')
}
