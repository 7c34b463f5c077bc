import type { Pod } from '#api/core/v1/pod.ts'
import type { ResourceQuota, ScopedResourceSelectorRequirement } from '#api/core/v1/resource-quota.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { CountedResource } from './object-usage.ts'

/**
 * Reports whether a quota counts an object. A quota with scopes counts only pods for which all
 * scopes hold. Pure.
 */
export function isInScope({ spec }: ResourceQuota, { group, plural }: CountedResource, object: KubeObject): boolean {
  const scopes = [
    ...(spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' })),
    ...(spec?.scopeSelector?.matchExpressions ?? []),
  ]
  if (scopes.length === 0) return true
  return group === '' && plural === 'pods' && scopes.every((scope) => holds(scope, object as Pod))
}

function holds({ scopeName, operator, values = [] }: ScopedResourceSelectorRequirement, pod: Pod): boolean {
  switch (scopeName) {
    case 'Terminating':
      return (pod.spec.activeDeadlineSeconds ?? -1) >= 0
    case 'NotTerminating':
      return pod.spec.activeDeadlineSeconds === undefined
    case 'BestEffort':
      return isBestEffort(pod)
    case 'NotBestEffort':
      return !isBestEffort(pod)
    case 'PriorityClass':
      return matchesClass(pod.spec.priorityClassName ?? '', operator, values)
    case 'CrossNamespacePodAffinity':
      return usesOtherNamespaces(pod)
    default:
      return false
  }
}

function matchesClass(name: string, operator: string, values: readonly string[]): boolean {
  if (operator === 'Exists') return name !== ''
  if (operator === 'DoesNotExist') return name === ''
  return operator === 'In' ? values.includes(name) : !values.includes(name)
}

function isBestEffort({ spec }: Pod): boolean {
  const containers = [...spec.containers, ...(spec.initContainers ?? [])]
  return containers.every(({ resources }) => Object.keys({ ...resources?.requests, ...resources?.limits }).length === 0)
}

function usesOtherNamespaces({ spec }: Pod): boolean {
  const terms = [spec.affinity?.podAffinity, spec.affinity?.podAntiAffinity].flatMap((affinity) => [
    ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ])
  return terms.some(({ namespaces = [], namespaceSelector }) => namespaces.length > 0 || namespaceSelector !== undefined)
}
