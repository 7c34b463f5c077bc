import { withSortedKeys } from '#apimachinery/json/sorted-keys.ts'
import { isManaged } from '#api/access/managed.ts'
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '#api/rbac/v1/role.ts'

/** A right that a component needs, or who has it. */
export type RbacObject = ClusterRole | ClusterRoleBinding | Role | RoleBinding

/**
 * What to apply so that an object grants what a version needs. While two versions are at work it
 * grants what either needs, and afterwards no more than the one (`isExact`). Undefined when it does
 * so already. Judged by what it grants, so that edits are found, too. Pure.
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

/** The rules of a role, or the subjects of a binding. */
function grantsOf(access: RbacObject | undefined): readonly object[] {
  if (access === undefined) return []
  return ('roleRef' in access ? access.subjects : access.rules) ?? []
}

function withGrants<T extends RbacObject>(access: T, grants: readonly object[]): T {
  return { ...access, ['roleRef' in access ? 'subjects' : 'rules']: grants }
}

/** The server may give the fields back in another order. */
function textOf(grant: object): string {
  return JSON.stringify(withSortedKeys(grant))
}
