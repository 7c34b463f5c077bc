import type { IntOrString } from '#api/scalars.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { notNegative } from './field-checks.ts'
import { goIntOrString, invalidShown } from './go-values.ts'

const percentMessage =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"

/** Validates a number or percentage. */
export function intOrPercentFaults(field: string, value: IntOrString | undefined): readonly FieldError[] {
  if (typeof value !== 'string') return notNegative(field, value)
  return /^[0-9]+%$/.test(value) ? [] : [invalidShown(field, goIntOrString(value), percentMessage)]
}

/** Returns an error for more than 100 %. */
export function overHundredFaults(field: string, value: IntOrString | undefined): readonly FieldError[] {
  const percent = typeof value === 'string' ? Number.parseInt(value, 10) : 0
  return percent > 100 && value !== undefined ? [invalidShown(field, goIntOrString(value), 'must not be greater than 100%')] : []
}

/** Reports whether a number or percentage is zero. */
export function isZero(value: IntOrString | undefined): boolean {
  return value === undefined || (typeof value === 'string' ? Number.parseInt(value, 10) === 0 : value === 0)
}
