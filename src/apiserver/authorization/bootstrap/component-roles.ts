import { componentRoleName } from '#api/access/component-roles.ts'
import { componentRules } from '#api/access/component-rules.ts'
import { componentNamespace, type Component } from '#api/access/component-users.ts'
import { userRoles } from '#api/access/user-roles.ts'
import { all, askAccess, type BootstrapRole, read, rule } from './bootstrap-role.ts'

const leases = rule('coordination.k8s.io', ['leases'], all)
const events = rule(['', 'events.k8s.io'], ['events'], ['create', 'patch', 'update'])

function roleOf(component: Component): BootstrapRole {
  return {
    name: componentRoleName(component),
    serviceAccounts: [{ namespace: componentNamespace, name: component }],
    rules: componentRules[component].cluster,
  }
}

/**
 * Roles that virt-operator installs: of users, and least-privilege ones of the components. They
 * change with the release.
 */
export const installedRoles: readonly BootstrapRole[] = [
  ...userRoles.map((role) => ({ ...role, keptBy: 'virt-operator' }) as const),
  { ...roleOf('virt-api'), keptBy: 'virt-operator' },
  { ...roleOf('virt-controller'), keptBy: 'virt-operator' },
  { ...roleOf('virt-handler'), keptBy: 'virt-operator' },
]

/** Roles of the components of a new cluster. */
export const componentRoles: readonly BootstrapRole[] = [
  {
    name: 'system:node',
    groups: ['system:nodes'],
    rules: [
      // Objects of its pods and their tokens are allowed by the node authorizer; writes are
      // restricted by NodeRestriction.
      rule('', ['nodes'], [...read, 'create', 'patch', 'update']),
      rule('', ['nodes/status'], ['patch', 'update']),
      rule('', ['pods'], [...read, 'create', 'delete']),
      rule('', ['pods/status'], ['patch', 'update']),
      rule('', ['pods/eviction'], ['create']),
      // Labels say whether a namespace's pods may act as root of the machine.
      rule('', ['namespaces'], ['get']),
      rule('', ['services'], read),
      rule('storage.k8s.io', ['csidrivers', 'csinodes', 'volumeattachments'], read),
      rule('node.k8s.io', ['runtimeclasses'], read),
      leases,
      events,
      ...askAccess,
    ],
  },
  roleOf('virt-operator'),
  ...installedRoles,
]
