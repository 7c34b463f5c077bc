import type { FieldError } from '#apimachinery/errors.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import { invalidValue } from '#apimachinery/field-messages.ts'

/** Returns an error when a field has changed. New objects pass. */
export function immutableField(field: string, value: unknown, old: unknown, why: string = 'field is immutable'): readonly FieldError[] {
  return deepEqual(value, old) ? [] : [invalidValue(field, value, why)]
}

/** Error for a field that must not be changed now. */
export function forbiddenField(field: string, why: string): FieldError {
  return { reason: 'FieldValueForbidden', field, message: `Forbidden: ${why}` }
}
