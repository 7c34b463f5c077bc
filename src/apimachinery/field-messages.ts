import type { FieldError } from './errors.ts'

const shortEscapes: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\u0007', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
])

function escapeCharacter(character: string): string {
  const short = shortEscapes.get(character)
  if (short !== undefined) return short
  const code = character.codePointAt(0) ?? 0
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
}

/**
 * A string in quotes, escaped as Go prints `%q`; that is how Kubernetes quotes values in its
 * messages.
 */
export function quote(text: string): string {
  return `"${text.replaceAll(/["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, escapeCharacter)}"`
}

/**
 * Formats a number as Go's `%v` after JSON decoding: an int64 when it is integral, a float64
 * otherwise.
 */
export function formatNumber(value: number): string {
  const magnitude = Math.abs(value)
  if (Number.isInteger(value) && magnitude < 2 ** 63) return BigInt(value).toString()
  if (magnitude >= 1e-4 && magnitude < 1e6) return String(value)
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2')
}

/** A JSON value as Go prints `%#v`: how Kubernetes shows objects and lists in its messages. */
export function goSyntax(value: unknown): string {
  if (value === null || value === undefined) return 'interface {}(nil)'
  if (typeof value === 'string') return quote(value)
  if (typeof value === 'number') return formatNumber(value)
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`
  if (typeof value !== 'object') return JSON.stringify(value) ?? 'null'
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `map[string]interface {}{${entries.map(([key, item]) => `${quote(key)}:${goSyntax(item)}`).join(', ')}}`
}

/** A value as Kubernetes prints it in the middle of a field error. */
export function showValue(value: unknown): string {
  return value === null || value === undefined ? '"null"' : goSyntax(value)
}

/** `Invalid value: <value>: <why>`. */
export function invalidValue(field: string, value: unknown, why: string): FieldError {
  return { reason: 'FieldValueInvalid', field, message: `Invalid value: ${showValue(value)}${why === '' ? '' : `: ${why}`}` }
}

/** `Duplicate value: <value>`. */
export function duplicateValue(field: string, value: unknown): FieldError {
  return { reason: 'FieldValueDuplicate', field, message: `Duplicate value: ${showValue(value)}` }
}

/** `Required value: <why>`. */
export function requiredValue(field: string, why: string = ''): FieldError {
  return { reason: 'FieldValueRequired', field, message: why === '' ? 'Required value' : `Required value: ${why}` }
}

/** `Forbidden: <why>`. */
export function forbiddenValue(field: string, why: string): FieldError {
  return { reason: 'FieldValueForbidden', field, message: `Forbidden: ${why}` }
}

/** `Unsupported value: <value>: supported values: …`. */
export function unsupportedValue(field: string, value: unknown, supported: readonly string[]): FieldError {
  const list = supported.map(quote).join(', ')
  return { reason: 'FieldValueNotSupported', field, message: `Unsupported value: ${showValue(value)}: supported values: ${list}` }
}
