import type { FieldError } from '#apimachinery/errors.ts'
import type { ValidationRule } from '../schema.ts'

/** Kubernetes' name of a rule in messages. */
export function ruleName({ rule, message = '' }: ValidationRule): string {
  return (message === '' ? rule : message).trim()
}

/** Message for a broken rule that has none. */
export function defaultMessage(rule: ValidationRule): string {
  const { message = '' } = rule
  return message === '' ? `failed rule: ${ruleName(rule)}` : message.trim()
}

/** The whole object has no path. */
function shownField(field: string): string {
  return field === '' ? '<nil>' : field
}

/** Shows only the type, because the value may be large. */
export function invalidType(field: string, type: string, message: string): FieldError {
  return { reason: 'FieldValueInvalid', field: shownField(field), message: `Invalid value: ${JSON.stringify(type)}: ${message}` }
}

/** Field error for the `reason` of a rule. */
export function brokenRule(place: string, type: string, message: string, reason: string | undefined): FieldError {
  const field = shownField(place)
  if (reason === 'FieldValueForbidden') return { reason, field, message: `Forbidden: ${message}` }
  if (reason === 'FieldValueRequired') return { reason, field, message: `Required value: ${message}` }
  if (reason === 'FieldValueDuplicate') return { reason, field, message: `Duplicate value: ${JSON.stringify(type)}` }
  return invalidType(field, type, message)
}
