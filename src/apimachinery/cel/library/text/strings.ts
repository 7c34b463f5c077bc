import type { CelBudget } from '#apimachinery/cel/budget.ts'
import { CelError } from '#apimachinery/cel/errors.ts'
import { type Overload, overload } from '#apimachinery/cel/types/signature.ts'
import { type CelValue, costSize, isList, itemsOf, lengthOf, listValue } from '#apimachinery/cel/values/values.ts'
import { formatText } from './format-text.ts'
import { sizeOf, traversal, traversalFactor } from '../costs.ts'

/**
 * Positions count code points; only texts beyond the basic plane need to be taken apart for that.
 */
function characters(text: string): readonly string[] | string {
  return lengthOf(text) === text.length ? text : Array.from(text)
}

function sliceText(text: string, from: number, to: number): string {
  const units = characters(text)
  return typeof units === 'string' ? units.slice(from, to) : units.slice(from, to).join('')
}

function outOfRange(index: bigint | number): CelError {
  return new CelError(`index out of range: ${index}`)
}

function charAt(text: string, index: bigint): string {
  const length = lengthOf(text)
  if (index < 0n || index > length) throw outOfRange(index)
  return Number(index) === length ? '' : sliceText(text, Number(index), Number(index) + 1)
}

function substring(text: string, from: bigint, to: bigint | undefined): string {
  const length = lengthOf(text)
  const end = to ?? BigInt(length)
  if (from < 0n || from > length) throw outOfRange(from)
  if (end < 0n || end > length) throw outOfRange(end)
  if (from > end) throw new CelError(`invalid substring range. start: ${from}, end: ${end}`)
  return sliceText(text, Number(from), Number(end))
}

/** The offset in UTF-16 units of a position in code points. */
function unitsOf(text: string, position: number): number {
  return sliceText(text, 0, position).length
}

function indexOf(text: string, part: string, from: bigint): bigint {
  if (part === '') return from
  if (from < 0n) throw outOfRange(from)
  const length = lengthOf(text)
  if (from > length) return -1n
  const at = text.indexOf(part, unitsOf(text, Number(from)))
  return at < 0 ? -1n : BigInt(lengthOf(text.slice(0, at)))
}

function lastIndexOf(text: string, part: string, from: bigint | undefined): bigint {
  const length = lengthOf(text)
  if (part === '') return from ?? BigInt(length)
  if (from !== undefined && from < 0n) throw outOfRange(from)
  if (from !== undefined && from > length) return -1n
  const at = text.lastIndexOf(part, from === undefined ? text.length : unitsOf(text, Number(from)))
  return at < 0 ? -1n : BigInt(lengthOf(text.slice(0, at)))
}

/**
 * Computes the size of the result before it is built, because it may be far larger than the input.
 */
function replace(text: string, from: string, to: string, limit: number, budget: CelBudget): string {
  if (limit === 0) return text
  const most = limit < 0 ? Number.POSITIVE_INFINITY : limit
  const pieces = from === '' ? splitEmpty(text, most) : splitText(text, from, most)
  budget.work((text.length + (pieces.length - 1) * to.length) * traversalFactor)
  return pieces.join(to)
}

/** An empty text is found before, between and after all characters. */
function splitEmpty(text: string, most: number): string[] {
  const all = ['', ...Array.from(text), '']
  return all.length - 1 <= most ? all : [...all.slice(0, most), all.slice(most).join('')]
}

function splitText(text: string, separator: string, most: number): string[] {
  const all = text.split(separator)
  return all.length - 1 <= most ? all : [...all.slice(0, most), all.slice(most).join(separator)]
}

function split(text: string, separator: string, limit: bigint): CelValue {
  if (limit === 0n) return listValue([])
  const most = limit < 0n ? Number.POSITIVE_INFINITY : Number(limit) - 1
  if (separator !== '') return listValue(splitText(text, separator, most))
  const all = Array.from(text)
  return listValue(all.length - 1 <= most ? all : [...all.slice(0, most), all.slice(most).join('')])
}

function join(list: CelValue, separator: string, budget: CelBudget): string {
  if (!isList(list)) return ''
  const parts = [...itemsOf(list)].map((item) => {
    if (typeof item !== 'string') throw new CelError('no such overload')
    return item
  })
  const size = parts.reduce((sum, part) => sum + part.length, 0) + Math.max(0, parts.length - 1) * separator.length
  budget.work(size * traversalFactor)
  return parts.join(separator)
}

const ascii = (text: string, pattern: RegExp, change: (letter: string) => string): string => text.replaceAll(pattern, change)

const quotes: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
}

/** A text in double quotes, with escapes. */
function quote(text: string): string {
  return `"${Array.from(text.toWellFormed(), (character) => quotes[character] ?? character).join('')}"`
}

const once = { cost: traversal(0) }
const twice = { cost: traversal(0, 2) }
/** The cost of `indexOf` follows Kubernetes' data traversal: without rounding up. */
const search = { cost: (args: readonly CelValue[]): number => Math.floor(costSize(args[0] ?? null) * traversalFactor) }
const containing = {
  cost: (args: readonly CelValue[]): number => Math.ceil(sizeOf(args, 0) * traversalFactor) * Math.ceil(sizeOf(args, 1) * traversalFactor),
}

const tests: readonly Overload[] = [
  overload('contains_string', 'string.contains(string): bool', ([text, part]) => (text as string).includes(part as string), containing),
  overload('starts_with_string', 'string.startsWith(string): bool', ([text, part]) => (text as string).startsWith(part as string), once),
  overload('ends_with_string', 'string.endsWith(string): bool', ([text, part]) => (text as string).endsWith(part as string), once),
  overload('string_index_of_string', 'string.indexOf(string): int', ([text, part]) => indexOf(text as string, part as string, 0n), search),
  overload(
    'string_index_of_string_int',
    'string.indexOf(string, int): int',
    ([text, part, from]) => indexOf(text as string, part as string, from as bigint),
    search,
  ),
  overload(
    'string_last_index_of_string',
    'string.lastIndexOf(string): int',
    ([text, part]) => lastIndexOf(text as string, part as string, undefined),
    search,
  ),
  overload(
    'string_last_index_of_string_int',
    'string.lastIndexOf(string, int): int',
    ([text, part, from]) => lastIndexOf(text as string, part as string, from as bigint),
    search,
  ),
]

const changes: readonly Overload[] = [
  overload('string_char_at_int', 'string.charAt(int): string', ([text, index]) => charAt(text as string, index as bigint)),
  overload(
    'string_lower_ascii',
    'string.lowerAscii(): string',
    ([text]) => ascii(text as string, /[A-Z]+/g, (part) => part.toLowerCase()),
    once,
  ),
  overload(
    'string_upper_ascii',
    'string.upperAscii(): string',
    ([text]) => ascii(text as string, /[a-z]+/g, (part) => part.toUpperCase()),
    once,
  ),
  overload('string_trim', 'string.trim(): string', ([text]) => (text as string).trim(), once),
  overload(
    'string_reverse',
    'string.reverse(): string',
    ([text]) =>
      Array.from(text as string)
        .toReversed()
        .join(''),
    once,
  ),
  overload(
    'string_substring_int',
    'string.substring(int): string',
    ([text, from]) => substring(text as string, from as bigint, undefined),
    once,
  ),
  overload(
    'string_substring_int_int',
    'string.substring(int, int): string',
    ([text, from, to]) => substring(text as string, from as bigint, to as bigint),
    once,
  ),
  overload(
    'string_replace_string_string',
    'string.replace(string, string): string',
    ([text, from, to], budget) => replace(text as string, from as string, to as string, -1, budget),
    twice,
  ),
  overload(
    'string_replace_string_string_int',
    'string.replace(string, string, int): string',
    ([text, from, to, limit], budget) => replace(text as string, from as string, to as string, Number(limit), budget),
    twice,
  ),
  overload(
    'string_split_string',
    'string.split(string): list(string)',
    ([text, separator]) => split(text as string, separator as string, -1n),
    twice,
  ),
  overload(
    'string_split_string_int',
    'string.split(string, int): list(string)',
    ([text, separator, limit]) => split(text as string, separator as string, limit as bigint),
    twice,
  ),
  overload('strings_quote', 'strings.quote(string): string', ([text]) => quote(text as string), once),
]

const joined = { resultCost: (result: CelValue): number => Math.ceil(costSize(result) * 2 * traversalFactor) }

const building: readonly Overload[] = [
  overload('list_join', 'list(string).join(): string', ([list = null], budget) => join(list, '', budget), joined),
  overload(
    'list_join_string',
    'list(string).join(string): string',
    ([list = null, separator], budget) => join(list, separator as string, budget),
    joined,
  ),
  overload(
    'string_format',
    'string.format(list(dyn)): string',
    ([text, args = null], budget) => formatText(text as string, isList(args) ? args : listValue([]), budget),
    once,
  ),
]

/** Functions of texts. */
export const strings: readonly Overload[] = [...tests, ...changes, ...building]
