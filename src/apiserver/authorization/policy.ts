import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { LabelSelectorObject } from '#apimachinery/selectors/label-selector.ts'
import type { AccessAttributes } from './authorizer.ts'

/** A rule of a role. `*` in a list matches everything. */
export interface PolicyRule {
  readonly verbs: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
}

/** Role or ClusterRole. */
export interface RoleObject extends KubeObject {
  readonly rules?: readonly PolicyRule[] | null
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly LabelSelectorObject[] | null } | null
}

/** A subject of a binding. */
export interface Subject {
  readonly kind: string
  readonly name: string
  readonly namespace?: string
  readonly apiGroup?: string
}

/** RoleBinding or ClusterRoleBinding. */
export interface BindingObject extends KubeObject {
  readonly roleRef: { readonly apiGroup?: string; readonly kind: string; readonly name: string }
  readonly subjects?: readonly Subject[] | null
}

function has(list: readonly string[] | undefined, value: string): boolean {
  return list !== undefined && (list.includes('*') || list.includes(value))
}

function matchesResource(resources: readonly string[] | undefined, resource: string, subresource: string): boolean {
  if (resources === undefined) return false
  const full = subresource === '' ? resource : `${resource}/${subresource}`
  return resources.includes('*') || resources.includes(full) || (subresource !== '' && resources.includes(`*/${subresource}`))
}

function matchesPath(urls: readonly string[] | undefined, path: string): boolean {
  return urls?.some((url) => url === path || url === '*' || (url.endsWith('*') && path.startsWith(url.slice(0, -1)))) ?? false
}

/** Reports whether a rule allows the request, wherever it is bound. */
export function allows(rule: PolicyRule, attributes: AccessAttributes): boolean {
  if (!has(rule.verbs, attributes.verb)) return false
  if (attributes.kind === 'nonResource') return matchesPath(rule.nonResourceURLs, attributes.path)
  if (!has(rule.apiGroups, attributes.group) || !matchesResource(rule.resources, attributes.resource, attributes.subresource)) return false
  return rule.resourceNames === undefined || rule.resourceNames.length === 0 || rule.resourceNames.includes(attributes.name)
}
