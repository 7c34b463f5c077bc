import type { APIService, APIServiceCondition, APIServiceSpec } from '#api/apiregistration/v1/api-service.ts'
import { setCondition } from '#apimachinery/conditions.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { invalidValue, quote, requiredValue } from '#apimachinery/field-messages.ts'
import { validateName } from '#apimachinery/names.ts'
import { rfc3339 } from '#apiserver/codec/rfc3339.ts'
import type { Strategy } from '#apiserver/registry/resource-definition.ts'

/** Condition Available of a local APIService. */
const localCondition: APIServiceCondition = {
  type: 'Available',
  status: 'True',
  reason: 'Local',
  message: 'Local APIServices are always available',
}

const versionLabel = /^[a-z]([-a-z0-9]*[a-z0-9])?$/
const versionLabelMessage =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"

/** Strategy of APIServices: local ones are available at once, others after a check. */
export const apiServiceStrategy: Strategy = {
  prepareForCreate: (object, nowMs) => withLocalStatus(object, nowMs),
  prepareForUpdate: (object, _old, nowMs) => withLocalStatus(object, nowMs),
  validate: (object) => [...validateSpec(object as APIService), ...validateConditions(object as APIService)],
}

function withLocalStatus(object: KubeObject, nowMs: number): KubeObject {
  const { spec, status } = object as APIService
  if (spec === undefined || (spec.service !== undefined && spec.service !== null)) return object
  const conditions = setCondition(status?.conditions, localCondition, rfc3339(nowMs))
  return conditions === status?.conditions ? object : withConditions(object as APIService, conditions)
}

function withConditions(object: APIService, conditions: APIServiceCondition[]): KubeObject {
  const next: APIService = { ...object, status: { ...object.status, conditions } }
  return next
}

function validateSpec({ metadata, spec }: APIService): FieldError[] {
  if (spec === undefined) return [requiredValue('spec')]
  const { group = '', version = '' } = spec
  const name = `${version}.${group}`
  const faults: FieldError[] = []
  if (metadata.name !== undefined && metadata.name !== name)
    faults.push(invalidValue('metadata.name', metadata.name, `must be \`spec.version+"."+spec.group\`: ${quote(name)}`))
  if (group === '' && version !== 'v1')
    faults.push(requiredValue('spec.group', 'only v1 may have an empty group and it better be legacy kube'))
  if (group !== '') faults.push(...validateName(group, 'dns-subdomain').map((why) => invalidValue('spec.group', group, why)))
  if (version.length > 63) faults.push(invalidValue('spec.version', version, 'must be no more than 63 bytes'))
  if (!versionLabel.test(version)) faults.push(invalidValue('spec.version', version, versionLabelMessage))
  return [
    ...faults,
    ...validatePriority(spec, 'groupPriorityMinimum', 20_000),
    ...validatePriority(spec, 'versionPriority', 1000),
    ...validateService(spec),
  ]
}

function validatePriority(spec: APIServiceSpec, field: 'groupPriorityMinimum' | 'versionPriority', most: number): FieldError[] {
  const value = spec[field] ?? 0
  return value > 0 && value <= most ? [] : [invalidValue(`spec.${field}`, value, `must be positive and less than ${most}`)]
}

function validateService({ service, caBundle = '', insecureSkipTLSVerify = false }: APIServiceSpec): FieldError[] {
  const faults: FieldError[] = []
  if (service === undefined || service === null) {
    const bytes = Buffer.from(caBundle, 'base64').length
    if (bytes > 0) faults.push(invalidValue('spec.caBundle', `${bytes} bytes`, 'local APIServices may not have a caBundle'))
    if (insecureSkipTLSVerify)
      faults.push(invalidValue('spec.insecureSkipTLSVerify', true, 'local APIServices may not have insecureSkipTLSVerify'))
    return faults
  }
  const { namespace = '', name = '', port = 0 } = service
  if (namespace === '') faults.push(requiredValue('spec.service.namespace'))
  if (name === '') faults.push(requiredValue('spec.service.name'))
  if (port < 1 || port > 65_535)
    faults.push(invalidValue('spec.service.port', port, 'port is not valid: must be between 1 and 65535, inclusive'))
  if (insecureSkipTLSVerify && caBundle !== '')
    faults.push(invalidValue('spec.insecureSkipTLSVerify', true, 'may not be true if caBundle is present'))
  return faults
}

const statuses = ['False', 'True', 'Unknown'] as const

function validateConditions({ status }: APIService): FieldError[] {
  return (status?.conditions ?? []).flatMap((condition, index): FieldError[] => {
    if ((statuses as readonly string[]).includes(condition.status)) return []
    const supported = statuses.map((known) => quote(known)).join(', ')
    const message = `Unsupported value: ${quote(condition.status)}: supported values: ${supported}`
    return [{ reason: 'FieldValueNotSupported', field: `status.conditions[${index}].status`, message }]
  })
}
