import type { PodDisruptionBudget, PodDisruptionBudgetSpec } from '#api/policy/v1/pod-disruption-budget.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { quote } from '#apimachinery/field-messages.ts'
import type { Strategy } from '#apiserver/registry/resource-definition.ts'
import { intOrPercentFaults, overHundredFaults } from '../checks/int-or-percent.ts'

const policies = ['AlwaysAllow', 'IfHealthyBudget']

/** Strategy of budgets: no disruption is allowed until the controller has observed them. */
export const podDisruptionBudgetStrategy: Strategy = {
  prepareForCreate(object) {
    const budget = object as PodDisruptionBudget
    const created: PodDisruptionBudget = {
      ...budget,
      status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
    }
    return created
  },
  validate: (object) => validateSpec((object as PodDisruptionBudget).spec ?? {}),
}

function validateSpec({ minAvailable, maxUnavailable, unhealthyPodEvictionPolicy }: PodDisruptionBudgetSpec): readonly FieldError[] {
  const both: FieldError = {
    reason: 'FieldValueInvalid',
    field: 'spec',
    message: 'Invalid value: {}: minAvailable and maxUnavailable cannot be both set',
  }
  return [
    ...(minAvailable !== undefined && maxUnavailable !== undefined ? [both] : []),
    ...intOrPercentFaults('spec.minAvailable', minAvailable),
    ...overHundredFaults('spec.minAvailable', minAvailable),
    ...intOrPercentFaults('spec.maxUnavailable', maxUnavailable),
    ...overHundredFaults('spec.maxUnavailable', maxUnavailable),
    ...validatePolicy(unhealthyPodEvictionPolicy),
  ]
}

function validatePolicy(policy: string | undefined): FieldError[] {
  if (policy === undefined || policies.includes(policy)) return []
  const message = `Unsupported value: ${quote(policy)}: supported values: ${policies.map(quote).join(', ')}`
  return [{ reason: 'FieldValueNotSupported', field: 'spec.unhealthyPodEvictionPolicy', message }]
}
