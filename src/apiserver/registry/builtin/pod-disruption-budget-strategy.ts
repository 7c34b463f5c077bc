import type { PodDisruptionBudget, PodDisruptionBudgetSpec } from '#api/policy/v1/pod-disruption-budget.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { invalidValue, quote } from '#apimachinery/field-messages.ts'
import type { Strategy } from '#apiserver/registry/resource-definition.ts'

const policies = ['AlwaysAllow', 'IfHealthyBudget']

/** A budget starts without any disruption allowed: the controller has to look first. */
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
    ...validateAmount('spec.minAvailable', minAvailable),
    ...validateAmount('spec.maxUnavailable', maxUnavailable),
    ...validatePolicy(unhealthyPodEvictionPolicy),
  ]
}

function validateAmount(field: string, value: number | string | undefined): FieldError[] {
  if (value === undefined) return []
  if (typeof value === 'number') return value < 0 ? [invalidValue(field, value, 'must be greater than or equal to 0')] : []
  const percent = /^(\d+)%$/.exec(value)?.[1]
  if (percent === undefined) {
    return [
      invalidValue(
        field,
        value,
        "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
      ),
    ]
  }
  return Number(percent) > 100 ? [invalidValue(field, value, 'must not be greater than 100%')] : []
}

function validatePolicy(policy: string | undefined): FieldError[] {
  if (policy === undefined || policies.includes(policy)) return []
  const message = `Unsupported value: ${quote(policy)}: supported values: ${policies.map(quote).join(', ')}`
  return [{ reason: 'FieldValueNotSupported', field: 'spec.unhealthyPodEvictionPolicy', message }]
}
