import type { FieldError } from '#apimachinery/errors.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import { invalidValue } from '#apimachinery/field-messages.ts'

/** A fault when a field differs from what it was; nothing for new objects. */
export function immutableField(field: string, value: unknown, old: unknown, why: string = 'field is immutable'): readonly FieldError[] {
  return deepEqual(value, old) ? [] : [invalidValue(field, value, why)]
}

/** A fault saying that a field may not be changed now. */
export function forbiddenField(field: string, why: string): FieldError {
  return { reason: 'FieldValueForbidden', field, message: `Forbidden: ${why}` }
}
