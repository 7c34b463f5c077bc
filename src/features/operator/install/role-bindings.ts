import { componentOf, componentRoleBinding } from '#api/access/component-roles.ts'
import type { RoleBinding, Subject } from '#api/rbac/v1/role.ts'
import type { RbacObject } from './rbac.ts'

/**
 * Adds the bindings to a release's roles: each namespaced role is bound under its own name. On a
 * cluster, the components' service accounts are subjects; in machine mode, certificates identify
 * components. Pure.
 */
export function withRoleBindings(access: readonly RbacObject[], namespace: string, hasAccounts: boolean): readonly RbacObject[] {
  const accountsOf = (role: string): Subject[] => {
    const component = componentOf(role)
    return hasAccounts && component !== undefined ? [{ kind: 'ServiceAccount', name: component, namespace }] : []
  }
  const bindingOf = ({ metadata }: RbacObject): RoleBinding => {
    const binding = componentRoleBinding(metadata)
    return { ...binding, subjects: [...(binding.subjects ?? []), ...accountsOf(metadata.name ?? '')] }
  }
  return access.flatMap((one) => {
    if ('roleRef' in one) return [{ ...one, subjects: [...(one.subjects ?? []), ...accountsOf(one.roleRef.name)] }]
    return one.metadata.namespace === undefined ? [one] : [one, bindingOf(one)]
  })
}
