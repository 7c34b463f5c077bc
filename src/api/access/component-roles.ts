import type { Role, RoleBinding, Subject } from '#api/rbac/v1/role.ts'
import { componentNamespace } from './component-users.ts'
import { componentRules } from './component-rules.ts'
import { managedLabels, manager, systemLabels } from './managed.ts'

/** Returns the name of the Role and of the ClusterRole of a component. */
export function componentRoleName(component: string): string {
  return `system:steadyvm:${component}`
}

/** Returns the component of a role; undefined for other roles. */
export function componentOf(roleName: string): string | undefined {
  const prefix = componentRoleName('')
  return roleName.startsWith(prefix) ? roleName.slice(prefix.length) : undefined
}

/** Returns the service account of a component as the subject of a binding. Pure. */
export function componentSubject(component: string, namespace: string): Subject {
  return { kind: 'ServiceAccount', name: component, namespace }
}

/** Returns the RoleBinding of a component's Role to its service account. Pure. */
export function componentRoleBinding({ name = '', namespace = '', labels = {} }: Role['metadata']): RoleBinding {
  const apiGroup = 'rbac.authorization.k8s.io'
  return {
    apiVersion: `${apiGroup}/v1`,
    kind: 'RoleBinding',
    metadata: { name, namespace, labels },
    roleRef: { apiGroup, kind: 'Role', name },
    subjects: [componentSubject(componentOf(name) ?? name, componentNamespace)],
  }
}

/**
 * Returns the Roles of the components in their own namespace. The Role of virt-operator is
 * installed with the cluster, the others with each release by virt-operator. A component without
 * rights in the namespace has no Role. Pure.
 */
export function componentRoles(namespace: string): readonly Role[] {
  return Object.entries(componentRules).flatMap(([component, { namespace: rules }]) => {
    if (rules.length === 0) return []
    const labels = component === manager ? systemLabels : managedLabels
    const metadata = { name: componentRoleName(component), namespace, labels }
    return [{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata, rules: [...rules] }]
  })
}
