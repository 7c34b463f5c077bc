import { componentOf, componentRoleBinding, componentSubject } from '#api/access/component-roles.ts'
import type { RbacObject } from './rbac.ts'

/**
 * Adds the bindings to a release's roles: each namespaced role is bound under its own name. The
 * subjects of a component's role are its service account, also for releases whose own bindings name
 * another user.
 * Pure.
 */
export function withRoleBindings(access: readonly RbacObject[], namespace: string): readonly RbacObject[] {
  return access.flatMap((one) => {
    if ('roleRef' in one) {
      const component = componentOf(one.roleRef.name)
      return [component === undefined ? one : { ...one, subjects: [componentSubject(component, namespace)] }]
    }
    return one.metadata.namespace === undefined ? [one] : [one, componentRoleBinding({ ...one.metadata, namespace })]
  })
}
