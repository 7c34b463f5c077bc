import type { MatchCondition } from '#api/admissionregistration/v1/webhook-configuration.ts'
import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { duplicateValue, invalidValue } from '#apimachinery/field-messages.ts'
import { validateQualifiedName } from '#apimachinery/names.ts'
import { labelSelectorFromObject, SelectorError } from '#apimachinery/selectors/label-selector.ts'
import { duplicates, requiredField } from './field-checks.ts'

const mostConditions = 64

/** Validates match conditions except their expressions. */
export function conditionFaults(conditions: readonly MatchCondition[], field: string): FieldError[] {
  if (conditions.length > mostConditions) {
    const message = `Too many: ${conditions.length}: must have at most ${mostConditions} items`
    return [{ reason: 'FieldValueTooMany', field, message }]
  }
  return [
    ...conditions.flatMap(({ name, expression }, index) => [
      ...(name === '' ? [requiredField(`${field}[${index}].name`)] : []),
      ...(name === '' ? [] : validateQualifiedName(name).map((why) => invalidValue(`${field}[${index}].name`, name, why))),
      ...(expression.trim() === '' ? [requiredField(`${field}[${index}].expression`)] : []),
    ]),
    ...duplicates(conditions.map(({ name }) => name)).map((index) => duplicateValue(`${field}[${index}].name`, conditions[index]?.name)),
  ]
}

/** Validates a label selector. */
export function selectorSyntaxFaults(selector: LabelSelector | undefined, field: string): FieldError[] {
  try {
    labelSelectorFromObject(selector ?? {})
    return []
  } catch (error) {
    if (error instanceof SelectorError) return [invalidValue(field, selector, error.message)]
    throw error
  }
}
