import { componentOf, componentRoleBinding } from '#api/access/component-roles.ts'
import type { Subject } from '#api/rbac/v1/role.ts'
import type { RbacObject } from './rbac.ts'

/**
 * Adds the bindings to a release's roles: each namespaced role is bound under its own name. The
 * subjects are the components' service accounts, also for releases whose own bindings name others.
 * Pure.
 */
export function withRoleBindings(access: readonly RbacObject[], namespace: string): readonly RbacObject[] {
  const subjectsOf = (role: string): Subject[] => {
    const component = componentOf(role)
    return component === undefined ? [] : [{ kind: 'ServiceAccount', name: component, namespace }]
  }
  return access.flatMap((one) => {
    if ('roleRef' in one) return [{ ...one, subjects: subjectsOf(one.roleRef.name) }]
    return one.metadata.namespace === undefined ? [one] : [one, componentRoleBinding({ ...one.metadata, namespace })]
  })
}
