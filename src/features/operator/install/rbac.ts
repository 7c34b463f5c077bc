import { withSortedKeys } from '#apimachinery/json/sorted-keys.ts'
import { isManaged } from '#api/access/managed.ts'
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '#api/rbac/v1/role.ts'

/** A role with rights of a component, or its binding. */
export type RbacObject = ClusterRole | ClusterRoleBinding | Role | RoleBinding

/**
 * Returns the object to apply so that it grants what a release needs. While two releases run, it
 * grants what either needs; with `isExact`, only what this one needs. Undefined when it does so
 * already. The comparison is by grants, so edits by others are found. Pure.
 */
export function rbacToApply<T extends RbacObject>(present: T | undefined, wanted: T, isExact: boolean): T | undefined {
  const [has, needs] = [grantsOf(present), grantsOf(wanted)]
  const known = new Set(has.map(textOf))
  const lacks = needs.some((grant) => !known.has(textOf(grant)))
  if (!lacks && isManaged(present?.metadata.labels) && (!isExact || has.length === needs.length)) return undefined
  if (isExact) return wanted
  const asked = new Set(needs.map(textOf))
  return withGrants(wanted, [...needs, ...has.filter((grant) => !asked.has(textOf(grant)))])
}

/** Returns the rules of a role or the subjects of a binding. */
function grantsOf(access: RbacObject | undefined): readonly object[] {
  if (access === undefined) return []
  return ('roleRef' in access ? access.subjects : access.rules) ?? []
}

function withGrants<T extends RbacObject>(access: T, grants: readonly object[]): T {
  return { ...access, ['roleRef' in access ? 'subjects' : 'rules']: grants }
}

/** Serializes a grant regardless of field order. */
function textOf(grant: object): string {
  return JSON.stringify(withSortedKeys(grant))
}
