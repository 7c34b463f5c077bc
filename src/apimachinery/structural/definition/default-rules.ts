import type { FieldError } from '#apimachinery/errors.ts'
import { invalidValue } from '#apimachinery/field-messages.ts'
import { isJsonObject } from '#apimachinery/own-property.ts'
import { prune } from '../transform/prune.ts'
import type { StructuralSchema } from '../schema.ts'
import { validateStructural } from '../validation/validate.ts'
import { forEachField, forEachItem, type VisitSchema } from './walk-schema.ts'

/**
 * Validates the defaults of a structural schema: each must be valid, and have no field that pruning
 * would remove.
 */
export function checkDefaults(schema: StructuralSchema, field: string): FieldError[] {
  const errors: FieldError[] = []
  checkNode(schema, field, errors)
  return errors
}

function checkNode(schema: StructuralSchema, field: string, errors: FieldError[]): void {
  if (schema.default !== undefined) errors.push(...checkDefault(schema, field))
  const inner: VisitSchema = (below, place) => checkNode(below, place, errors)
  forEachItem(schema, field, inner)
  forEachField(schema, field, inner)
}

function checkDefault(schema: StructuralSchema, field: string): FieldError[] {
  // A default is validated as the field of an object.
  const holder: StructuralSchema = { type: 'object', properties: { default: { ...schema, default: undefined } } }
  const value = { default: schema.default }
  const isPruned = prune(value, holder).unknown.length > 0 || hasFieldsOfScalar(schema)
  // In the messages paths start below the default.
  const place = (text: string): string => text.replaceAll(/(?<![\w.])default(?:\.|(?=[[ "]))/g, '')
  return [
    ...(isPruned ? [invalidValue(`${field}.default`, schema.default, 'must not have unknown fields')] : []),
    ...validateStructural(value, holder).map((error) => ({
      ...error,
      field: error.field.startsWith('default') ? `${field}.${error.field}` : `${field}.default`,
      message: place(error.message),
    })),
  ]
}

function hasFieldsOfScalar({ type, default: value, ...schema }: StructuralSchema): boolean {
  const isScalar = type !== undefined && type !== 'object' && type !== 'array'
  return isScalar && schema['x-kubernetes-preserve-unknown-fields'] !== true && isJsonObject(value) && Object.keys(value).length > 0
}
