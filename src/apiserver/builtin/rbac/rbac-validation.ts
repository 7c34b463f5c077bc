import type { PolicyRule } from '#api/rbac/v1/role.ts'
import type { ClusterRoleBinding, RoleBinding } from '#api/rbac/v1/role.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { quote } from '#apimachinery/field-messages.ts'

const group = 'rbac.authorization.k8s.io'

function required(field: string, why: string = ''): FieldError {
  return { reason: 'FieldValueRequired', field, message: why === '' ? 'Required value' : `Required value: ${why}` }
}

function unsupported(field: string, value: string, supported: readonly string[]): FieldError {
  const message = `Unsupported value: ${quote(value)}: supported values: ${supported.map(quote).join(', ')}`
  return { reason: 'FieldValueNotSupported', field, message }
}

// Fields may be missing: the schema reports that.
function ruleFaults(rule: Partial<PolicyRule>, namespaced: boolean, field: string): FieldError[] {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule
  const faults = verbs?.length === 0 ? [required(`${field}.verbs`, 'verbs must contain at least one value')] : []
  if (nonResourceURLs.length > 0) {
    const refuse = (why: string): FieldError => ({
      reason: 'FieldValueInvalid',
      field: `${field}.nonResourceURLs`,
      message: `Invalid value: []string{${nonResourceURLs.map(quote).join(', ')}}: ${why}`,
    })
    if (namespaced) faults.push(refuse('namespaced rules cannot apply to non-resource URLs'))
    if (apiGroups.length + resources.length + resourceNames.length > 0) {
      faults.push(refuse('rules cannot apply to both regular resources and non-resource URLs'))
    }
    return faults
  }
  if (apiGroups.length === 0) faults.push(required(`${field}.apiGroups`, 'resource rules must supply at least one api group'))
  if (resources.length === 0) faults.push(required(`${field}.resources`, 'resource rules must supply at least one resource'))
  return faults
}

/** Validates the rules of a Role or ClusterRole. */
export function validateRules(rules: readonly PolicyRule[] | null | undefined, namespaced: boolean): readonly FieldError[] {
  return (rules ?? []).flatMap((rule, index) => ruleFaults(rule, namespaced, `rules[${index}]`))
}

type Binding = RoleBinding | ClusterRoleBinding
type Subject = NonNullable<Binding['subjects']>[number]

function subjectFaults(subject: Partial<Subject>, namespaced: boolean, field: string): FieldError[] {
  const { kind, name, namespace = '', apiGroup = '' } = subject
  const faults = name === '' ? [required(`${field}.name`)] : []
  if (kind === 'ServiceAccount') {
    if (apiGroup !== '') faults.push(unsupported(`${field}.apiGroup`, apiGroup, ['']))
    if (!namespaced && namespace === '') faults.push(required(`${field}.namespace`))
  } else if (kind === 'User' || kind === 'Group') {
    if (apiGroup !== group) faults.push(unsupported(`${field}.apiGroup`, apiGroup, [group]))
  } else if (kind !== undefined) faults.push(unsupported(`${field}.kind`, kind, ['ServiceAccount', 'User', 'Group']))
  return faults
}

/** Validates a binding. */
export function validateBinding({ roleRef, subjects }: Partial<Binding>, namespaced: boolean): readonly FieldError[] {
  const kinds = namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole']
  const { apiGroup = group, kind, name }: Partial<Binding['roleRef']> = roleRef ?? {}
  return [
    ...(apiGroup === group ? [] : [unsupported('roleRef.apiGroup', apiGroup, [group])]),
    ...(kind === undefined || kinds.includes(kind) ? [] : [unsupported('roleRef.kind', kind, kinds)]),
    ...(name === '' ? [required('roleRef.name')] : []),
    ...(subjects ?? []).flatMap((subject, index) => subjectFaults(subject, namespaced, `subjects[${index}]`)),
  ]
}
