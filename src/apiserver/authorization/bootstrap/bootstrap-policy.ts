import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { BindingObject, RoleObject, Subject } from '../policy.ts'
import type { BootstrapRole } from './bootstrap-role.ts'
import { componentRoles, installedRoles } from './component-roles.ts'
import { systemRoles } from './system-roles.ts'
import { userRoles } from './user-roles.ts'

const apiVersion = 'rbac.authorization.k8s.io/v1'
const rbacGroup = 'rbac.authorization.k8s.io'
const roles: readonly BootstrapRole[] = [...systemRoles, ...userRoles, ...componentRoles]

function aggregationLabel(to: string): Record<string, string> {
  return { [`rbac.authorization.k8s.io/aggregate-to-${to}`]: 'true' }
}

function labelsOf({ keptBy }: BootstrapRole): Record<string, string> {
  return {
    'kubernetes.io/bootstrapping': 'rbac-defaults',
    ...(keptBy === undefined ? {} : { 'kubevirt.io': '', 'app.kubernetes.io/managed-by': keptBy }),
  }
}

function annotationsOf({ keptBy }: BootstrapRole): Record<string, string> {
  return { 'rbac.authorization.kubernetes.io/autoupdate': String(keptBy === undefined) }
}

function roleObject(role: BootstrapRole): KubeObject {
  const labels = {
    ...labelsOf(role),
    ...(role.aggregateTo === undefined ? {} : aggregationLabel(role.aggregateTo)),
  }
  const aggregationRule =
    role.aggregates === undefined ? {} : { aggregationRule: { clusterRoleSelectors: [{ matchLabels: aggregationLabel(role.aggregates) }] } }
  const metadata = { name: role.name, labels, annotations: annotationsOf(role) }
  const object: RoleObject = { apiVersion, kind: 'ClusterRole', metadata, ...aggregationRule, rules: role.rules ?? [] }
  return object
}

function bindingObject(role: BootstrapRole): KubeObject | undefined {
  const subjects: Subject[] = [
    ...(role.users ?? []).map((name) => ({ apiGroup: rbacGroup, kind: 'User', name })),
    ...(role.groups ?? []).map((name) => ({ apiGroup: rbacGroup, kind: 'Group', name })),
    ...(role.serviceAccounts ?? []).map((account) => ({ kind: 'ServiceAccount', ...account })),
  ]
  if (subjects.length === 0) return undefined
  const metadata = {
    name: role.name,
    labels: labelsOf(role),
    annotations: annotationsOf(role),
  }
  const roleRef = { apiGroup: rbacGroup, kind: 'ClusterRole', name: role.name }
  const object: BindingObject = { apiVersion, kind: 'ClusterRoleBinding', metadata, roleRef, subjects }
  return object
}

/** Roles and bindings of the components that virt-operator installs. */
export function installedAccess(): readonly KubeObject[] {
  return installedRoles.flatMap((role) => [roleObject(role), bindingObject(role) ?? []].flat())
}

/** Roles and bindings that every server creates at start. */
export function bootstrapPolicy(): { readonly roles: readonly KubeObject[]; readonly bindings: readonly KubeObject[] } {
  return { roles: roles.map(roleObject), bindings: roles.map(bindingObject).filter((binding) => binding !== undefined) }
}
