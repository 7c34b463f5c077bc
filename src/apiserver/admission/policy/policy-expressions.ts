import { createEnvironment, type CelEnvironment } from '#apimachinery/cel/environment.ts'
import { type CelType, dyn, objectOf } from '#apimachinery/cel/types/types.ts'
import type { ValidatingAdmissionPolicySpec, Validation } from '#api/admissionregistration/v1/validating-admission-policy.ts'
import { compiled, type CompiledExpression } from '../expressions/match-conditions.ts'
import { requestVariables } from '../expressions/request-variables.ts'

/** One validation, compiled. */
export interface CompiledValidation {
  readonly validation: Validation
  readonly expression: CompiledExpression
  readonly message: CompiledExpression | undefined
}

/** Compiled expressions of a policy. */
export interface PolicyExpressions {
  readonly conditions: readonly CompiledExpression[]
  readonly variables: readonly { readonly name: string; readonly expression: CompiledExpression }[]
  readonly validations: readonly CompiledValidation[]
  readonly auditAnnotations: readonly { readonly key: string; readonly expression: CompiledExpression }[]
}

const policyVariables: Readonly<Record<string, CelType>> = { ...requestVariables, params: dyn, namespaceObject: dyn }
/** Without `authorizer`: message expressions cannot use it, as in Kubernetes. */
const messageVariables = Object.fromEntries(Object.entries(policyVariables).filter(([name]) => !name.startsWith('authorizer')))

/** What a message expression may use: everything that a validation may, or all but `authorizer`. */
type MessageScope = 'whole' | 'withoutAuthorizer'

/**
 * Compiles a policy. A variable may use the variables before it; all other expressions may use
 * every variable. `known` has the types of variables that are better known than by every policy.
 */
export function compilePolicy(
  spec: ValidatingAdmissionPolicySpec,
  known: Readonly<Record<string, CelType>> = {},
  messageScope: MessageScope = 'withoutAuthorizer',
): PolicyExpressions {
  const types: Record<string, CelType> = {}
  const plain = { ...policyVariables, ...known }
  const environment = (more: Readonly<Record<string, CelType>> = plain): CelEnvironment =>
    createEnvironment({ ...more, variables: objectOf('kubernetes.variables', types) })
  const variables = (spec.variables ?? []).map(({ name, expression }) => {
    const variable = compiled(expression, environment())
    types[name] = 'program' in variable ? variable.program.type : dyn
    return { name, expression: variable }
  })
  const [whole, messages] = [environment(), environment(messageScope === 'whole' ? plain : { ...messageVariables, ...known })]
  return {
    conditions: (spec.matchConditions ?? []).map(({ expression }) => compiled(expression, createEnvironment(plain))),
    variables,
    validations: (spec.validations ?? []).map((validation) => ({
      validation,
      expression: compiled(validation.expression, whole),
      message: (validation.messageExpression ?? '') === '' ? undefined : compiled(validation.messageExpression ?? '', messages),
    })),
    auditAnnotations: (spec.auditAnnotations ?? []).map(({ key, valueExpression }) => ({
      key,
      expression: compiled(valueExpression, whole),
    })),
  }
}
