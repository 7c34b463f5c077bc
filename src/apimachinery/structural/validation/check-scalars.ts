import { deepEqual } from '#apimachinery/equality.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { formatNumber, invalidValue, quote, showValue } from '#apimachinery/field-messages.ts'
import { isJsonObject } from '#apimachinery/own-property.ts'
import { stringFormats } from './formats.ts'
import { compilePattern } from './patterns.ts'
import type { StructuralSchema } from '../schema.ts'
import type { Check, ValidationWalk } from './validation-walk.ts'

/** Returns the JSON type of a value, in the terms of JSON Schema. */
export function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'bigint') return 'integer'
  if (typeof value === 'number') return isInt64(value) ? 'integer' : 'number'
  return typeof value
}

/** Reports whether a number is integral; larger ones than 64 bits are doubles to Kubernetes. */
function isInt64(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) < 2 ** 63 && (value as number) >= -(2 ** 63)
}

/** Types that a schema allows; empty means any. */
export function allowedTypes(schema: StructuralSchema): readonly string[] {
  if (schema['x-kubernetes-int-or-string'] === true) return ['integer', 'string']
  return schema.type === undefined ? [] : [schema.type]
}

function wrongType(location: string, wanted: string, found: string): FieldError {
  const why = `${location} in body must be of type ${wanted}: ${quote(found)}`
  return { reason: 'FieldValueTypeInvalid', field: location, message: `Invalid value: ${quote(found)}: ${why}` }
}

const typeTests: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  integer: isInt64,
  array: (value) => Array.isArray(value),
  object: isJsonObject,
}

function none(): boolean {
  return false
}

/** The value must have one of the schema's types; null only when it is nullable. */
export function checkType(schema: StructuralSchema): Check | undefined {
  const types = allowedTypes(schema)
  if (types.length === 0) return undefined
  const wanted = types.join(',')
  const accepted = new Set(types)
  if (accepted.has('number')) accepted.add('integer')
  if (schema.nullable === true) accepted.add('null')
  const isOne = types.length === 1 ? (typeTests[types[0] ?? ''] ?? none) : none
  return (value, _, walk) => {
    // Most values have the declared type.
    if (isOne(value) || accepted.has(typeOf(value))) walk.fits += 1
    else walk.report(wrongType(walk.location.toString(), wanted, typeOf(value)))
  }
}

function fail(walk: ValidationWalk, value: unknown, why: string): void {
  const location = walk.location.toString()
  walk.report(invalidValue(location, value, `${location} in body ${why}`))
}

/** Counts characters as Go does: a surrogate pair is one. */
function runeCount(text: string): number {
  let count = text.length
  for (let index = 0; index < text.length - 1; index += 1) {
    if (text.charCodeAt(index) >>> 10 === 0x36 && text.charCodeAt(index + 1) >>> 10 === 0x37) count -= 1
  }
  return count
}

function readPattern(pattern: string): { matches: (text: string) => boolean; shown: string } {
  try {
    const expression = compilePattern(pattern)
    return { matches: (text) => expression.test(text), shown: pattern }
  } catch (error) {
    return { matches: () => false, shown: `${pattern}, but pattern is invalid: ${String(error)}` }
  }
}

function checkFormat(format: string): Check | undefined {
  const accepts = stringFormats.get(format.replaceAll('-', ''))
  if (accepts === undefined) return undefined
  return (value, _, walk) => {
    if (typeof value === 'string' && !accepts(value)) walk.report(wrongType(walk.location.toString(), format, value))
  }
}

function checkLength({ minLength, maxLength }: StructuralSchema): Check | undefined {
  if (minLength === undefined && maxLength === undefined) return undefined
  return (value, _, walk) => {
    if (typeof value !== 'string') return
    const length = runeCount(value)
    if (maxLength !== undefined && length > maxLength) {
      const message = `Too long: may not be more than ${maxLength} ${maxLength === 1 ? 'byte' : 'bytes'}`
      walk.report({ reason: 'FieldValueTooLong', field: walk.location.toString(), message })
    }
    if (minLength !== undefined && length < minLength) fail(walk, value, `should be at least ${minLength} chars long`)
  }
}

function checkPattern(pattern: string): Check {
  const { matches, shown } = readPattern(pattern)
  return (value, _, walk) => {
    if (typeof value === 'string' && !matches(value)) fail(walk, value, `should match '${shown}'`)
  }
}

/** Reports whether the quotient is integral, with a tolerance for binary fractions. */
function isMultiple(value: number | bigint, factor: number): boolean {
  if (typeof value === 'bigint') return Number.isInteger(factor) ? value % BigInt(factor) === 0n : isMultiple(Number(value), factor)
  if (Number.isInteger(value) && Number.isInteger(factor)) return value % factor === 0
  const quotient = factor < 1 ? (1 / factor) * value : value / factor
  return Math.abs(quotient - Math.round(quotient)) < 1e-9 * Math.max(1, Math.abs(quotient))
}

function checkRange(schema: StructuralSchema): Check | undefined {
  const { minimum, maximum, multipleOf, exclusiveMinimum, exclusiveMaximum } = schema
  if (minimum === undefined && maximum === undefined && multipleOf === undefined) return undefined
  return (value, _, walk) => {
    if (typeof value !== 'number' && typeof value !== 'bigint') return
    if (multipleOf !== undefined && !isMultiple(value, multipleOf)) fail(walk, value, `should be a multiple of ${formatNumber(multipleOf)}`)
    if (maximum !== undefined && (exclusiveMaximum === true ? value >= maximum : value > maximum)) {
      fail(walk, value, `should be less than ${exclusiveMaximum === true ? '' : 'or equal to '}${formatNumber(maximum)}`)
    }
    if (minimum !== undefined && (exclusiveMinimum === true ? value <= minimum : value < minimum)) {
      fail(walk, value, `should be greater than ${exclusiveMinimum === true ? '' : 'or equal to '}${formatNumber(minimum)}`)
    }
  }
}

const integerRanges: ReadonlyMap<string, readonly [number, number]> = new Map([
  ['int32', [-(2 ** 31), 2 ** 31 - 1]],
  ['int64', [-(2 ** 63), 2 ** 63]],
])

/**
 * Built-in kinds are Go structs in Kubernetes: decoding fails for an integer that does not fit its
 * field. Custom resources have no such limit, whatever the format in their schema.
 */
export function checkIntegerFormat({ type, format = '' }: StructuralSchema): Check | undefined {
  const range = type === 'integer' ? integerRanges.get(format) : undefined
  if (range === undefined) return undefined
  const [low, high] = range
  return (value, _, walk) => {
    if (typeof value === 'number' && (value < low || value > high)) {
      fail(walk, value, `must be of type integer with format ${format}`)
    }
  }
}

/** Checks that the value is one of the enum. */
export function checkEnum({ enum: values }: StructuralSchema): Check | undefined {
  if (values === undefined || values.length === 0) return undefined
  const texts = new Set(values.filter((value) => typeof value === 'string'))
  const supported = values.map((value) => quote(typeof value === 'string' ? value : JSON.stringify(value))).join(', ')
  return (value, _, walk) => {
    if (typeof value === 'string' ? texts.has(value) : values.some((allowed) => deepEqual(allowed, value))) return
    const message = `Unsupported value: ${showValue(value)}: supported values: ${supported}`
    walk.report({ reason: 'FieldValueNotSupported', field: walk.location.toString(), message })
  }
}

/** Returns all checks of strings and numbers for a schema, in Kubernetes' order. */
export function checkScalars(schema: StructuralSchema): Check[] {
  const checks = [
    checkLength(schema),
    schema.pattern === undefined ? undefined : checkPattern(schema.pattern),
    schema.format === undefined ? undefined : checkFormat(schema.format),
    checkRange(schema),
  ]
  return checks.filter((check) => check !== undefined)
}
