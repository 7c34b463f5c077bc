import type { Toleration } from '#api/core/v1/affinity.ts'
import type { PodSpec } from '#api/core/v1/pod.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { duplicateValue, invalidValue } from '#apimachinery/field-messages.ts'
import { validateName } from '#apimachinery/names.ts'
import { validateLabels } from '#apimachinery/meta/object-meta-rules.ts'
import { duplicates, labelName, notNegative, oneOf, requiredField } from '../checks/field-checks.ts'
import { validateContainer } from './validate-container.ts'
import { validateVolumes } from './validate-volume.ts'

const dnsPolicies = ['ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None']
const largestDeadline = 2_147_483_647

/** Validates the spec of a pod or template at `field`, beyond its schema. */
export function validatePodSpec(spec: PodSpec, field: string): readonly FieldError[] {
  return [
    ...validateVolumes(spec.volumes ?? [], `${field}.volumes`),
    ...validateContainers(spec, field),
    ...oneOf(`${field}.restartPolicy`, spec.restartPolicy, ['Always', 'OnFailure', 'Never']),
    ...oneOf(`${field}.dnsPolicy`, spec.dnsPolicy, dnsPolicies),
    ...notNegative(`${field}.terminationGracePeriodSeconds`, spec.terminationGracePeriodSeconds),
    ...validateDeadline(`${field}.activeDeadlineSeconds`, spec.activeDeadlineSeconds),
    ...validateReferences(spec, field),
    ...validateLabels(spec.nodeSelector, `${field}.nodeSelector`),
    ...(spec.tolerations ?? []).flatMap((toleration, index) => validateToleration(toleration, `${field}.tolerations[${index}]`)),
    ...duplicates((spec.schedulingGates ?? []).map(({ name }) => name)).map((index) =>
      duplicateValue(`${field}.schedulingGates[${index}].name`, spec.schedulingGates?.[index]?.name),
    ),
  ]
}

function validateContainers(spec: PodSpec, field: string): FieldError[] {
  const { containers, initContainers = [] } = spec
  if (containers.length === 0) return [requiredField(`${field}.containers`)]
  const names = containers.map(({ name }) => name)
  const volumes = new Set((spec.volumes ?? []).map(({ name }) => name))
  const repeatedInits = initContainers.flatMap(({ name }, index) =>
    names.includes(name) ? [duplicateValue(`${field}.initContainers[${index}].name`, name)] : [],
  )
  return [
    ...containers.flatMap((container, index) => validateContainer(container, `${field}.containers[${index}]`, { volumes, init: false })),
    ...duplicates(names).map((index) => duplicateValue(`${field}.containers[${index}].name`, names[index])),
    ...initContainers.flatMap((container, index) =>
      validateContainer(container, `${field}.initContainers[${index}]`, { volumes, init: true }),
    ),
    ...duplicates(initContainers.map(({ name }) => name)).map((index) =>
      duplicateValue(`${field}.initContainers[${index}].name`, initContainers[index]?.name),
    ),
    ...repeatedInits,
  ]
}

function validateDeadline(field: string, seconds: number | undefined): FieldError[] {
  if (seconds === undefined || (seconds >= 1 && seconds <= largestDeadline)) return []
  return [invalidValue(field, seconds, `must be between 1 and ${largestDeadline}, inclusive`)]
}

function validateReferences(spec: PodSpec, field: string): FieldError[] {
  const named = (name: string, value: string | undefined): FieldError[] =>
    value === undefined || value === ''
      ? []
      : validateName(value, 'dns-subdomain').map((why) => invalidValue(`${field}.${name}`, value, why))
  const label = (name: string, value: string | undefined): FieldError[] =>
    value === undefined || value === '' ? [] : labelName(`${field}.${name}`, value)
  return [
    ...named('serviceAccountName', spec.serviceAccountName),
    ...named('nodeName', spec.nodeName),
    ...named('priorityClassName', spec.priorityClassName),
    ...named('runtimeClassName', spec.runtimeClassName),
    ...label('hostname', spec.hostname),
    ...label('subdomain', spec.subdomain),
    ...oneOf(`${field}.preemptionPolicy`, spec.preemptionPolicy, ['PreemptLowerPriority', 'Never']),
  ]
}

function validateToleration(toleration: Toleration, field: string): FieldError[] {
  const { key = '', operator, value = '', effect, tolerationSeconds } = toleration
  const faults: FieldError[] = []
  if (key === '' && operator !== 'Exists') {
    faults.push(
      invalidValue(
        `${field}.operator`,
        operator ?? '',
        'operator must be Exists when `key` is empty, which means "match all values and all keys"',
      ),
    )
  }
  if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
    faults.push(invalidValue(`${field}.effect`, effect ?? '', "effect must be 'NoExecute' when `tolerationSeconds` is set"))
  }
  if (operator === 'Exists' && value !== '') {
    faults.push(invalidValue(`${field}.operator`, value, "value must be empty when `operator` is 'Exists'"))
  }
  return [
    ...faults,
    ...(operator === '' ? [] : oneOf(`${field}.operator`, operator, ['Equal', 'Exists'])),
    ...(effect === '' ? [] : oneOf(`${field}.effect`, effect, ['NoSchedule', 'PreferNoSchedule', 'NoExecute'])),
  ]
}
