import type { FieldError } from '#apimachinery/errors.ts'
import { invalidValue } from '#apimachinery/field-messages.ts'

/** A field that must be there and is not. */
export function required(field: string, why: string = ''): FieldError {
  return { reason: 'FieldValueRequired', field, message: why === '' ? 'Required value' : `Required value: ${why}` }
}

/** A field that must not be there. */
export function forbidden(field: string, why: string): FieldError {
  return { reason: 'FieldValueForbidden', field, message: `Forbidden: ${why}` }
}

/** A fault when text differs from what it was. */
export function immutable(field: string, value: string, old: string): FieldError[] {
  return value === old ? [] : [invalidValue(field, value, 'field is immutable')]
}

/** A value that is not one of those that are known. */
export function unsupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  const list = supported.map((each) => JSON.stringify(each)).join(', ')
  return { reason: 'FieldValueNotSupported', field, message: `Unsupported value: ${JSON.stringify(value)}: supported values: ${list}` }
}
