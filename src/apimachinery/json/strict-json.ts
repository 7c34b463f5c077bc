import { assertExactJson, longRunDigits, parseLongIntegers } from './long-integers.ts'
import { isJsonObject } from '../own-property.ts'

/** A parsed JSON text, and the keys that it gives more than once. */
export interface ParsedJson {
  readonly value: unknown
  /**
   * Field paths such as `spec.y` or `spec.list[0].z`, each once, in the order of the text. The last
   * value wins, as in JSON.parse.
   */
  readonly duplicates: readonly string[]
}

const maximumDepth = 1000

const quoteCode = 34
const backslashCode = 92
const colonCode = 58
const commaCode = 44
const openBrace = 123
const closeBrace = 125
const openBracket = 91
const closeBracket = 93
const zeroCode = 48
const nineCode = 57

/**
 * Index just past the closing quote of the string that starts at `start`. The text is known to be
 * valid JSON.
 */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (text.charCodeAt(end - 1) === backslashCode) {
    let backslashes = 1
    while (text.charCodeAt(end - 1 - backslashes) === backslashCode) backslashes += 1
    if (backslashes % 2 === 0) break
    end = text.indexOf('"', end + 1)
  }
  return end + 1
}

/** Properties of a text that are found without parsing it. */
interface Outline {
  readonly keys: number
  /** Reports whether an integer may exceed 2^53. */
  readonly hasLongNumbers: boolean
}

/** Counts the keys in the text, and checks the nesting depth. */
function outlineOf(text: string): Outline {
  let keys = 0
  let depth = 0
  let digits = 0
  let hasLongNumbers = false
  for (let index = 0; index < text.length;) {
    const code = text.charCodeAt(index)
    if (code >= zeroCode && code <= nineCode) {
      digits += 1
      if (digits === longRunDigits) hasLongNumbers = true
      index += 1
      continue
    }
    digits = 0
    if (code === quoteCode) {
      index = endOfString(text, index)
      continue
    }
    if (code === colonCode) keys += 1
    else if (code === openBrace || code === openBracket) {
      depth += 1
      if (depth > maximumDepth)
        throw new SyntaxError(`JSON must be nested at most ${maximumDepth} deep, and is deeper at position ${index}`)
    } else if (code === closeBrace || code === closeBracket) depth -= 1
    index += 1
  }
  return { keys, hasLongNumbers }
}

function countParsedKeys(value: unknown): number {
  let keys = 0
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object') keys += countParsedKeys(item)
  } else if (isJsonObject(value)) {
    for (const key in value) {
      keys += 1
      const item = value[key]
      if (typeof item === 'object') keys += countParsedKeys(item)
    }
  }
  return keys
}

/** An object or list that the scanner is inside of. */
interface Frame {
  readonly path: string
  /** Keys seen so far; undefined for a list. */
  readonly keys: Set<string> | undefined
  /** The key or index of the value that comes next. */
  step: string | number
}

function childPath(frame: Frame | undefined): string {
  if (frame === undefined) return ''
  if (typeof frame.step === 'number') return `${frame.path}[${frame.step}]`
  return frame.path === '' ? frame.step : `${frame.path}.${frame.step}`
}

/** Finds the paths of repeated keys. Slow; called only when there are some. */
function findDuplicates(text: string): string[] {
  const duplicates = new Set<string>()
  const frames: Frame[] = []
  let expectsKey = false
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    const frame = frames.at(-1)
    if (code === quoteCode) {
      const end = endOfString(text, index)
      if (expectsKey && frame?.keys !== undefined) {
        frame.step = JSON.parse(text.slice(index, end)) as string
        if (frame.keys.has(frame.step)) duplicates.add(childPath(frame))
        frame.keys.add(frame.step)
        expectsKey = false
      }
      index = end - 1
    } else if (code === openBrace) {
      frames.push({ path: childPath(frame), keys: new Set(), step: '' })
      expectsKey = true
    } else if (code === openBracket) frames.push({ path: childPath(frame), keys: undefined, step: 0 })
    else if (code === closeBrace || code === closeBracket) frames.pop()
    else if (code === commaCode && frame !== undefined) {
      if (typeof frame.step === 'number' && frame.keys === undefined) frame.step += 1
      expectsKey = frame.keys !== undefined
    }
  }
  return [...duplicates]
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    // The engine names no position when the text just ends.
    if (error instanceof SyntaxError && !error.message.includes('position')) {
      throw new SyntaxError(`${error.message} at position ${text.length}`, { cause: error })
    }
    throw error
  }
}

/**
 * Parses JSON as JSON.parse does, and returns repeated keys. `__proto__` is an ordinary key.
 * Integers beyond 2^53 are refused unless a double represents them, or kept as bigints.
 * @throws {SyntaxError} when the text is not JSON, naming the position, when it is nested more than
 * 1000 deep, or when an integer exceeds the exact range
 */
export function parseJson(text: string, longIntegers: 'refuse' | 'keep' = 'refuse'): ParsedJson {
  const plain = parse(text)
  const { keys, hasLongNumbers } = outlineOf(text)
  if (hasLongNumbers && longIntegers === 'refuse') assertExactJson(text)
  const value = hasLongNumbers && longIntegers === 'keep' ? parseLongIntegers(text) : plain
  // Fewer keys in the result than in the text means that some were overwritten. Counting is cheaper
  // than finding them.
  const duplicates = keys === countParsedKeys(value) ? [] : findDuplicates(text)
  return { value, duplicates }
}
