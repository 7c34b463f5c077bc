import type { Affinity, NodeSelectorRequirement, NodeSelectorTerm, PodAffinityTerm } from '#api/core/v1/affinity.ts'
import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { invalidValue, requiredValue } from '#apimachinery/field-messages.ts'
import { validateQualifiedName } from '#apimachinery/meta/name-rules.ts'

const nodeOperators = ['DoesNotExist', 'Exists', 'Gt', 'In', 'Lt', 'NotIn']
const podOperators = ['DoesNotExist', 'Exists', 'In', 'NotIn']

/** Rejects affinities with which the API server would refuse a pod. Pure. */
export function validateAffinity({ nodeAffinity, podAffinity, podAntiAffinity }: Affinity, field: string): readonly FieldError[] {
  const required = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  const terms = required?.nodeSelectorTerms ?? []
  const ofNodes = `${field}.nodeAffinity`
  const termsField = `${ofNodes}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`
  return [
    ...(required !== undefined && terms.length === 0 ? [requiredValue(termsField, 'must have at least one node selector term')] : []),
    ...terms.flatMap((term, index) => validateTerm(term, `${termsField}[${index}]`)),
    ...(nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).flatMap(({ weight, preference }, index) => {
      const at = `${ofNodes}.preferredDuringSchedulingIgnoredDuringExecution[${index}]`
      return [...validateWeight(weight, `${at}.weight`), ...validateTerm(preference, `${at}.preference`)]
    }),
    ...Object.entries({ podAffinity, podAntiAffinity }).flatMap(([name, ofPods]) => [
      ...(ofPods?.requiredDuringSchedulingIgnoredDuringExecution ?? []).flatMap((term, index) =>
        validatePodTerm(term, `${field}.${name}.requiredDuringSchedulingIgnoredDuringExecution[${index}]`),
      ),
      ...(ofPods?.preferredDuringSchedulingIgnoredDuringExecution ?? []).flatMap(({ weight, podAffinityTerm }, index) => {
        const at = `${field}.${name}.preferredDuringSchedulingIgnoredDuringExecution[${index}]`
        return [...validateWeight(weight, `${at}.weight`), ...validatePodTerm(podAffinityTerm, `${at}.podAffinityTerm`)]
      }),
    ]),
  ]
}

function validateWeight(weight: number, field: string): readonly FieldError[] {
  return weight >= 1 && weight <= 100 ? [] : [invalidValue(field, weight, 'must be in the range 1-100')]
}

function validateTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, field: string): readonly FieldError[] {
  return [
    ...matchExpressions.flatMap((requirement, index) =>
      validateRequirement(requirement, `${field}.matchExpressions[${index}]`, nodeOperators),
    ),
    ...matchFields.flatMap((requirement, index) => validateRequirement(requirement, `${field}.matchFields[${index}]`, ['In', 'NotIn'])),
  ]
}

function validatePodTerm({ labelSelector, namespaceSelector, topologyKey }: PodAffinityTerm, field: string): readonly FieldError[] {
  const validate = (selector: LabelSelector | undefined, name: string): readonly FieldError[] =>
    (selector?.matchExpressions ?? []).flatMap((requirement, index) =>
      validateRequirement(requirement, `${field}.${name}.matchExpressions[${index}]`, podOperators),
    )
  return [
    ...validate(labelSelector, 'labelSelector'),
    ...validate(namespaceSelector, 'namespaceSelector'),
    ...(topologyKey === '' ? [requiredValue(`${field}.topologyKey`, 'can not be empty')] : []),
    ...validateQualifiedName(topologyKey).map((why) => invalidValue(`${field}.topologyKey`, topologyKey, why)),
  ]
}

/** Uses Kubernetes' messages. */
function validateRequirement(
  { key, operator, values = [] }: NodeSelectorRequirement,
  field: string,
  operators: string[],
): readonly FieldError[] {
  const faults = validateQualifiedName(key).map((why) => invalidValue(`${field}.key`, key, why))
  if (!operators.includes(operator)) return [...faults, invalidValue(`${field}.operator`, operator, 'not a valid selector operator')]
  const isSet = operator === 'In' || operator === 'NotIn'
  if (isSet && values.length === 0) faults.push(requiredValue(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'"))
  if (operator.includes('Exist') && values.length > 0)
    faults.push(invalidValue(`${field}.values`, values, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"))
  if ((operator === 'Gt' || operator === 'Lt') && values.length !== 1)
    faults.push(requiredValue(`${field}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'"))
  return faults
}
