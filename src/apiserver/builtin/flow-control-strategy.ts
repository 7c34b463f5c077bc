import type {
  FlowSchema,
  FlowSubject,
  PolicyRulesWithSubjects,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
} from '#api/flowcontrol/v1/flow-schema.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { forbiddenValue, invalidValue, requiredValue, unsupportedValue } from '#apimachinery/field-messages.ts'
import { mandatoryNames, suggestedLevels, suggestedSchemas } from '#apiserver/flow-control/suggested-objects.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { Strategy } from '#apiserver/registry/resource-definition.ts'
import { notNegative } from './checks/field-checks.ts'

const lastPrecedence = 10_000
const mostQueues = 10_000_000

/** Strategy of FlowSchemas. */
export const flowSchemaStrategy: Strategy = {
  prepareForCreate: withStatus,
  validate: (object) => schemaFaults(object as FlowSchema),
}

/** Strategy of PriorityLevelConfigurations. */
export const priorityLevelStrategy: Strategy = {
  prepareForCreate: withStatus,
  validate: (object) => levelFaults(object as PriorityLevelConfiguration),
}

/** The status is always there, as in kube-apiserver. */
function withStatus(object: KubeObject): KubeObject {
  const made: FlowSchema = { ...(object as FlowSchema), status: {} }
  return made
}

/** Mandatory objects are what they are: without them a request might belong to no level. */
function mandatoryFault(spec: unknown, wanted: unknown, name: string): FieldError[] {
  if (!mandatoryNames.has(name) || deepEqual(spec, wanted)) return []
  return [invalidValue('spec', spec, `spec of '${name}' must equal the fixed value`)]
}

function schemaFaults({ metadata, spec = {} }: FlowSchema): FieldError[] {
  const { name = '' } = metadata
  const { priorityLevelConfiguration, matchingPrecedence = 1000, distinguisherMethod, rules = [] } = spec
  const level = priorityLevelConfiguration?.name ?? ''
  const precedence = 'spec.matchingPrecedence'
  return [
    ...mandatoryFault(spec, suggestedSchemas.find((one) => one.metadata.name === name)?.spec, name),
    ...(matchingPrecedence <= 0 ? [invalidValue(precedence, matchingPrecedence, 'must be a positive value')] : []),
    ...(matchingPrecedence > lastPrecedence
      ? [invalidValue(precedence, matchingPrecedence, `must not be greater than ${lastPrecedence}`)]
      : []),
    ...(matchingPrecedence === 1 && name !== 'exempt'
      ? [invalidValue(precedence, matchingPrecedence, "only the schema named 'exempt' may have matchingPrecedence 1")]
      : []),
    ...(distinguisherMethod !== undefined && !['ByNamespace', 'ByUser'].includes(distinguisherMethod.type ?? '')
      ? [unsupportedValue('spec.distinguisherMethod.type', distinguisherMethod.type ?? '', ['ByNamespace', 'ByUser'])]
      : []),
    ...(level === '' ? [requiredValue('spec.priorityLevelConfiguration.name', 'must reference a priority level')] : []),
    ...rules.flatMap((rule, index) => ruleFaults(rule, `spec.rules[${index}]`)),
  ]
}

function ruleFaults({ subjects = [], resourceRules = [], nonResourceRules = [] }: PolicyRulesWithSubjects, field: string): FieldError[] {
  return [
    ...(subjects.length === 0 ? [requiredValue(`${field}.subjects`, 'subjects must contain at least one value')] : []),
    ...subjects.flatMap((subject, index) => subjectFaults(subject, `${field}.subjects[${index}]`)),
    ...(resourceRules.length === 0 && nonResourceRules.length === 0
      ? [requiredValue(field, 'at least one of resourceRules and nonResourceRules has to be non-empty')]
      : []),
    ...resourceRules.flatMap(({ verbs, apiGroups, resources, clusterScope = false, namespaces = [] }, index) => {
      const place = `${field}.resourceRules[${index}]`
      return [
        ...listFaults(`${place}.verbs`, verbs, 'verbs must contain at least one value'),
        ...listFaults(`${place}.apiGroups`, apiGroups, 'resource rules must supply at least one api group'),
        ...listFaults(`${place}.resources`, resources, 'resource rules must supply at least one resource'),
        ...(namespaces.length === 0 && !clusterScope
          ? [requiredValue(`${place}.namespaces`, 'resource rules that are not cluster scoped must supply at least one namespace')]
          : listFaults(`${place}.namespaces`, namespaces)),
      ]
    }),
    ...nonResourceRules.flatMap(({ verbs, nonResourceURLs }, index) => [
      ...listFaults(`${field}.nonResourceRules[${index}].verbs`, verbs, 'verbs must contain at least one value'),
      ...listFaults(
        `${field}.nonResourceRules[${index}].nonResourceURLs`,
        nonResourceURLs,
        'nonResourceURLs must contain at least one value',
      ),
    ]),
  ]
}

/** A list with `*` has nothing else. */
function listFaults(field: string, values: readonly string[] = [], whyRequired: string = ''): FieldError[] {
  if (values.length === 0) return whyRequired === '' ? [] : [requiredValue(field, whyRequired)]
  return values.length > 1 && values.includes('*') ? [invalidValue(field, values, "if '*' is present, must not specify other values")] : []
}

function subjectFaults({ kind, user, group, serviceAccount }: FlowSubject, field: string): FieldError[] {
  const required = (place: string, value: string | undefined): FieldError[] =>
    value === undefined || value === '' ? [requiredValue(`${field}.${place}`)] : []
  switch (kind) {
    case 'User':
      return user === undefined
        ? [requiredValue(`${field}.user`, "user is required when subject kind is 'User'")]
        : required('user.name', user.name)
    case 'Group':
      return group === undefined
        ? [requiredValue(`${field}.group`, "group is required when subject kind is 'Group'")]
        : required('group.name', group.name)
    case 'ServiceAccount':
      return serviceAccount === undefined
        ? [requiredValue(`${field}.serviceAccount`, "serviceAccount is required when subject kind is 'ServiceAccount'")]
        : [...required('serviceAccount.name', serviceAccount.name), ...required('serviceAccount.namespace', serviceAccount.namespace)]
    default:
      return [unsupportedValue(`${field}.kind`, kind, ['Group', 'ServiceAccount', 'User'])]
  }
}

function levelFaults({ metadata, spec = {} }: PriorityLevelConfiguration): FieldError[] {
  const { name = '' } = metadata
  const { type = '', limited, exempt } = spec
  if (type !== 'Exempt' && type !== 'Limited') return [unsupportedValue('spec.type', type, ['Exempt', 'Limited'])]
  if ((type === 'Exempt') !== (name === 'exempt'))
    return [invalidValue('spec.type', type, "type must be 'Exempt' if and only if name is 'exempt'")]
  if (type === 'Exempt') {
    return [
      ...(limited === undefined ? [] : [forbiddenValue('spec.limited', 'must be nil if the type is not Limited')]),
      ...notNegative('spec.exempt.nominalConcurrencyShares', exempt?.nominalConcurrencyShares),
      ...percentFaults('spec.exempt.lendablePercent', exempt?.lendablePercent),
    ]
  }
  // The level catch-all may differ in nothing; that of exempt may reserve something.
  if (name === 'catch-all') {
    const wanted = suggestedLevels.find((one) => one.metadata.name === name)?.spec
    const fault = mandatoryFault(spec, wanted, name)
    if (fault.length > 0) return fault
  }
  return limited === undefined ? [requiredValue('spec.limited', 'must not be empty when type is Limited')] : limitedFaults(limited, exempt)
}

function limitedFaults(
  {
    nominalConcurrencyShares,
    lendablePercent,
    borrowingLimitPercent,
    limitResponse,
  }: NonNullable<PriorityLevelConfigurationSpec['limited']>,
  exempt: unknown,
): FieldError[] {
  const { type = '', queuing } = limitResponse ?? {}
  const field = 'spec.limited.limitResponse'
  return [
    ...(exempt === undefined ? [] : [forbiddenValue('spec.exempt', 'must be nil if the type is Limited')]),
    ...notNegative('spec.limited.nominalConcurrencyShares', nominalConcurrencyShares),
    ...percentFaults('spec.limited.lendablePercent', lendablePercent),
    ...notNegative('spec.limited.borrowingLimitPercent', borrowingLimitPercent),
    ...(type === 'Queue' || type === 'Reject' ? [] : [unsupportedValue(`${field}.type`, type, ['Queue', 'Reject'])]),
    ...(type === 'Reject' && queuing !== undefined
      ? [forbiddenValue(`${field}.queuing`, 'must be nil if limited.limitResponse.type is not Limited')]
      : []),
    ...(type === 'Queue' && queuing === undefined
      ? [requiredValue(`${field}.queuing`, 'must not be empty if limited.limitResponse.type is Limited')]
      : []),
    ...(type === 'Queue' && queuing !== undefined ? queuingFaults(queuing, `${field}.queuing`) : []),
  ]
}

function percentFaults(field: string, percent: number = 0): FieldError[] {
  return percent >= 0 && percent <= 100 ? [] : [invalidValue(field, percent, 'must be between 0 and 100, inclusive')]
}

function queuingFaults(
  {
    queues = 64,
    handSize = 8,
    queueLengthLimit = 50,
  }: { readonly queues?: number; readonly handSize?: number; readonly queueLengthLimit?: number },
  field: string,
): FieldError[] {
  return [
    ...(queueLengthLimit <= 0 ? [invalidValue(`${field}.queueLengthLimit`, queueLengthLimit, 'must be positive')] : []),
    ...(queues <= 0 ? [invalidValue(`${field}.queues`, queues, 'must be positive')] : []),
    ...(queues > mostQueues ? [invalidValue(`${field}.queues`, queues, `must not be greater than ${mostQueues}`)] : []),
    ...(handSize <= 0 ? [invalidValue(`${field}.handSize`, handSize, 'must be positive')] : []),
    ...(handSize > queues ? [invalidValue(`${field}.handSize`, handSize, `should not be greater than queues (${queues})`)] : []),
  ]
}
