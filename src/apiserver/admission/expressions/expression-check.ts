import { invalidValue } from '#apimachinery/field-messages.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import type { ValidatingAdmissionPolicySpec } from '#api/admissionregistration/v1/validating-admission-policy.ts'
import type { MatchCondition } from '#api/admissionregistration/v1/webhook-configuration.ts'
import { compilePolicy } from '../policy/policy-expressions.ts'
import { compiled, type CompiledExpression } from './match-conditions.ts'
import { webhookEnvironment } from './webhook-conditions.ts'

/** Returns the errors in the match conditions of a webhook. */
export function webhookExpressionFaults(conditions: readonly MatchCondition[], field: string): FieldError[] {
  return conditions.flatMap(({ expression }, index) =>
    expression.trim() === '' ? [] : faults(compiled(expression, webhookEnvironment), `${field}[${index}].expression`, ['bool']),
  )
}

/** Returns the errors in the expressions of a policy. */
export function policyExpressionFaults(spec: ValidatingAdmissionPolicySpec): FieldError[] {
  const { conditions, variables, validations, auditAnnotations } = compilePolicy(spec)
  return [
    ...conditions.flatMap((condition, index) => faults(condition, `spec.matchConditions[${index}].expression`, ['bool'])),
    ...variables.flatMap(({ expression }, index) => faults(expression, `spec.variables[${index}].expression`, undefined)),
    ...validations.flatMap(({ expression, message }, index) => [
      ...faults(expression, `spec.validations[${index}].expression`, ['bool']),
      ...(message === undefined ? [] : faults(message, `spec.validations[${index}].messageExpression`, ['string'])),
    ]),
    ...auditAnnotations.flatMap(({ expression }, index) =>
      faults(expression, `spec.auditAnnotations[${index}].valueExpression`, ['string', 'null']),
    ),
  ]
}

function faults(expression: CompiledExpression, field: string, types: readonly string[] | undefined): FieldError[] {
  if (expression.source.trim() === '') return []
  if ('fault' in expression) return [invalidValue(field, expression.source, expression.fault)]
  const { kind } = expression.program.type
  if (types === undefined || kind === 'dyn' || types.includes(kind)) return []
  return [
    invalidValue(field, expression.source, `must evaluate to ${types.map((type) => (type === 'null' ? 'null_type' : type)).join(' or ')}`),
  ]
}
