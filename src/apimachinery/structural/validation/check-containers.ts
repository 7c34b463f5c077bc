import { deepEqual } from '#apimachinery/equality.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { invalidValue } from '#apimachinery/field-messages.ts'
import { isJsonObject } from '#apimachinery/own-property.ts'
import type { CompileCheck } from './check-logic.ts'
import { correlateItems } from '../list-correlation.ts'
import type { StructuralSchema } from '../schema.ts'
import { type Check, oldField, type ValidationWalk } from './validation-walk.ts'

type JsonObject = Readonly<Record<string, unknown>>

function tooMany(walk: ValidationWalk, actual: number, most: number): FieldError {
  const message = `Too many: ${actual}: must have at most ${most} ${most === 1 ? 'item' : 'items'}`
  return { reason: 'FieldValueTooMany', field: walk.location.toString(), message }
}

function tooFew(walk: ValidationWalk, actual: number, least: number, what: string): FieldError {
  const field = walk.location.toString()
  return invalidValue(field, actual, `${field} in body should have at least ${least} ${what}`)
}

/**
 * Declaration of a field. Most kinds declare far more fields than an object has: each is compiled
 * at its first use.
 */
interface Field {
  readonly step: string
  readonly schema: StructuralSchema
  check: Check | undefined
}

interface ObjectChecks {
  readonly fields: ReadonlyMap<string, Field>
  readonly compile: CompileCheck
  readonly others: Check | undefined
  readonly forbidsOthers: boolean
  readonly required: readonly string[]
}

function checkFields(value: JsonObject, old: unknown, walk: ValidationWalk, checks: ObjectChecks): void {
  for (const key in value) {
    const item = value[key]
    if (item === undefined) continue
    const field = checks.fields.get(key)
    if (field !== undefined) walk.inside(field.step, (field.check ??= checks.compile(field.schema)), item, oldField(old, key))
    else if (checks.others !== undefined) walk.inside(`.${key}`, checks.others, item, oldField(old, key))
    else if (checks.forbidsOthers) {
      const path = walk.location.toString()
      walk.report(invalidValue(path, key, `${path}.${key} in body is a forbidden property`))
    }
  }
}

function checkRequired(value: JsonObject, required: readonly string[], walk: ValidationWalk): void {
  for (const key of required) {
    if (Object.hasOwn(value, key) && value[key] !== undefined) continue
    walk.location.push(`.${key}`)
    walk.report({ reason: 'FieldValueRequired', field: walk.location.toString(), message: 'Required value' })
    walk.location.pop()
  }
}

function checkSize(value: JsonObject, { minProperties, maxProperties }: StructuralSchema, walk: ValidationWalk): void {
  if (minProperties === undefined && maxProperties === undefined) return
  const size = Object.values(value).filter((item) => item !== undefined).length
  if (minProperties !== undefined && size < minProperties) walk.report(tooFew(walk, size, minProperties, 'properties'))
  else if (maxProperties !== undefined && size > maxProperties) walk.report(tooMany(walk, size, maxProperties))
}

/** Fields, required fields and size of an object. */
export function checkObject(schema: StructuralSchema, compile: CompileCheck): Check | undefined {
  const { properties, additionalProperties, required = [], minProperties, maxProperties } = schema
  const limits = minProperties !== undefined || maxProperties !== undefined
  if (properties === undefined && additionalProperties === undefined && required.length === 0 && !limits) return undefined
  const checks: ObjectChecks = {
    fields: new Map(
      Object.entries(properties ?? {}).map(([key, property]) => [key, { step: `.${key}`, schema: property, check: undefined }]),
    ),
    compile,
    others: typeof additionalProperties === 'object' ? compile(additionalProperties) : undefined,
    forbidsOthers: additionalProperties === false,
    required,
  }
  return (value, old, walk) => {
    if (!isJsonObject(value)) return
    checkSize(value, schema, walk)
    checkFields(value, old, walk, checks)
    checkRequired(value, required, walk)
  }
}

function hasDuplicates(list: readonly unknown[]): boolean {
  return list.some((item, index) => list.slice(0, index).some((other) => deepEqual(other, item)))
}

/** Items and size of a list. */
export function checkList(schema: StructuralSchema, compile: CompileCheck): Check | undefined {
  const { items, minItems, maxItems, uniqueItems } = schema
  if (items === undefined && minItems === undefined && maxItems === undefined && uniqueItems !== true) return undefined
  let item: Check | undefined
  return (value, old, walk) => {
    if (!Array.isArray(value)) return
    const size = value.length
    if (items !== undefined && size > 0) {
      item ??= compile(items)
      const oldItem = correlateItems(schema, old)
      for (let index = 0; index < size; index += 1) walk.inside(index, item, value[index], oldItem(value[index]))
    }
    if (minItems !== undefined && size < minItems) walk.report(tooFew(walk, size, minItems, 'items'))
    if (maxItems !== undefined && size > maxItems) walk.report(tooMany(walk, size, maxItems))
    if (uniqueItems === true && hasDuplicates(value)) {
      const path = walk.location.toString()
      walk.report(invalidValue(path, '', `${path} in body shouldn't contain duplicates`))
    }
  }
}
