import { componentOf, componentRoleBinding } from '#api/access/component-roles.ts'
import type { RoleBinding, Subject } from '#api/rbac/v1/role.ts'
import type { RbacObject } from './rbac.ts'

/**
 * What a version needs, with what gives it to the components: each role of the namespace is bound
 * by its own name, which no release has to say. Where components have accounts, these are bound,
 * too; elsewhere who a component is says its certificate. Pure.
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
