import type { Toleration } from '#api/core/v1/affinity.ts'
import type { NodePlacement } from '#api/kubevirt/v1/kubevirt.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { invalidValue, unsupportedValue } from '#apimachinery/field-messages.ts'
import { validateLabelValue, validateQualifiedName } from '#apimachinery/meta/name-rules.ts'
import { validateLabels } from '#apimachinery/names.ts'
import { validateAffinity } from '#api/usage/affinity-rules.ts'

const operators = ['Exists', 'Equal']
const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']

/**
 * Rejects placements with which the API server would refuse the components: only the operator would
 * see that error. Pure.
 */
export function validatePlacement({ nodeSelector, affinity, tolerations = [] }: NodePlacement, field: string): readonly FieldError[] {
  return [
    ...validateLabels(nodeSelector, `${field}.nodeSelector`),
    ...validateAffinity(affinity ?? {}, `${field}.affinity`),
    ...tolerations.flatMap((toleration, index) => validateToleration(toleration, `${field}.tolerations[${index}]`)),
  ]
}

/** Uses Kubernetes' messages. */
function validateToleration(toleration: Toleration, field: string): readonly FieldError[] {
  const { key = '', operator = '', value = '', effect = '', tolerationSeconds } = toleration
  const faults: FieldError[] = []
  if (key === '' && operator !== 'Exists')
    faults.push(
      invalidValue(
        `${field}.operator`,
        operator,
        'operator must be Exists when `key` is empty, which means "match all values and all keys"',
      ),
    )
  if (key !== '') faults.push(...validateQualifiedName(key).map((why) => invalidValue(`${field}.key`, key, why)))
  if (operator === 'Exists' && value !== '')
    faults.push(invalidValue(`${field}.operator`, value, "value must be empty when `operator` is 'Exists'"))
  if (operator !== 'Exists') faults.push(...validateLabelValue(value).map((why) => invalidValue(`${field}.value`, value, why)))
  if (operator !== '' && !operators.includes(operator)) faults.push(unsupportedValue(`${field}.operator`, operator, operators))
  if (effect !== '' && !effects.includes(effect)) faults.push(unsupportedValue(`${field}.effect`, effect, effects))
  if (tolerationSeconds !== undefined && effect !== 'NoExecute')
    faults.push(invalidValue(`${field}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"))
  return faults
}
