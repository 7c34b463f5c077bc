import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { invalidValue } from '#apimachinery/field-messages.ts'
import { validateLabelValue, validateQualifiedName } from '#apimachinery/meta/name-rules.ts'
import { validateLabels } from '#apimachinery/meta/object-meta-rules.ts'
import { requiredField } from './field-checks.ts'
import { forbiddenField } from './immutable-field.ts'

/** Validates the selector at `field`, with Kubernetes' messages. An empty one is valid. */
export function labelSelectorFaults({ matchLabels, matchExpressions = [] }: LabelSelector, field: string): readonly FieldError[] {
  return [
    ...validateLabels(matchLabels, `${field}.matchLabels`),
    ...matchExpressions.flatMap((expression, index) => expressionFaults(expression, `${field}.matchExpressions[${index}]`)),
  ]
}

type Expression = NonNullable<LabelSelector['matchExpressions']>[number]

function expressionFaults({ key, operator, values = [] }: Expression, field: string): FieldError[] {
  return [
    ...operatorFaults(operator, values, field),
    ...validateQualifiedName(key).map((why) => invalidValue(`${field}.key`, key, why)),
    ...values.flatMap((value, index) => validateLabelValue(value).map((why) => invalidValue(`${field}.values[${index}]`, value, why))),
  ]
}

function operatorFaults(operator: string, values: readonly string[], field: string): FieldError[] {
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values.length > 0 ? [] : [requiredField(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'")]
    case 'Exists':
    case 'DoesNotExist':
      return values.length === 0
        ? []
        : [forbiddenField(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")]
    default:
      return [invalidValue(`${field}.operator`, operator, 'not a valid selector operator')]
  }
}
