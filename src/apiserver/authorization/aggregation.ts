import { labelSelectorFromObject, SelectorError, type LabelSelectorObject } from '#apimachinery/selectors/label-selector.ts'
import type { PolicyRule, RoleObject } from './policy.ts'

/** Whether the rules of a role are those of others. */
export function isAggregated(role: RoleObject): boolean {
  return role.aggregationRule !== undefined && role.aggregationRule !== null
}

function selects(selector: LabelSelectorObject, role: RoleObject): boolean {
  try {
    return labelSelectorFromObject(selector).matches(role.metadata?.labels)
  } catch (error) {
    // One selector that makes no sense must not take the others' rights away.
    if (error instanceof SelectorError) return false
    throw error
  }
}

/**
 * The ClusterRoles whose rules make up a role, at any depth: an aggregated role may be part of
 * another one, or of itself.
 */
function partsOf(role: RoleObject, roles: readonly RoleObject[], seen: Set<RoleObject>): readonly RoleObject[] {
  const selectors = role.aggregationRule?.clusterRoleSelectors ?? []
  const parts = roles.filter((part) => !seen.has(part) && selectors.some((selector) => selects(selector, part)))
  for (const part of parts) seen.add(part)
  return parts.flatMap((part) => (isAggregated(part) ? partsOf(part, roles, seen) : [part]))
}

/**
 * The rules of an aggregated ClusterRole, gathered from all ClusterRoles. What several of them say
 * is said once.
 */
export function aggregatedRules(role: RoleObject, roles: readonly RoleObject[]): readonly PolicyRule[] {
  const rules = new Map<string, PolicyRule>()
  for (const part of partsOf(role, roles, new Set([role]))) {
    for (const rule of part.rules ?? []) {
      const key = JSON.stringify([rule.verbs, rule.apiGroups, rule.resources, rule.resourceNames, rule.nonResourceURLs])
      if (!rules.has(key)) rules.set(key, rule)
    }
  }
  return [...rules.values()]
}
