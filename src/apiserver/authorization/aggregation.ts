import { labelSelectorFromObject, SelectorError, type LabelSelectorObject } from '#apimachinery/selectors/label-selector.ts'
import type { PolicyRule, RoleObject } from './policy.ts'

/** Reports whether a ClusterRole has an aggregationRule. */
export function isAggregated(role: RoleObject): boolean {
  return role.aggregationRule !== undefined && role.aggregationRule !== null
}

function selects(selector: LabelSelectorObject, role: RoleObject): boolean {
  try {
    return labelSelectorFromObject(selector).matches(role.metadata?.labels)
  } catch (error) {
    // An invalid selector must not affect other roles.
    if (error instanceof SelectorError) return false
    throw error
  }
}

/** ClusterRoles that a role aggregates at any depth; cycles are possible. */
function partsOf(role: RoleObject, roles: readonly RoleObject[], seen: Set<RoleObject>): readonly RoleObject[] {
  const selectors = role.aggregationRule?.clusterRoleSelectors ?? []
  const parts = roles.filter((part) => !seen.has(part) && selectors.some((selector) => selects(selector, part)))
  for (const part of parts) seen.add(part)
  return parts.flatMap((part) => (isAggregated(part) ? partsOf(part, roles, seen) : [part]))
}

/** Returns the distinct rules that an aggregated ClusterRole selects. */
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
