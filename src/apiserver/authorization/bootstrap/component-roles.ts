import { componentRules } from '#api/access/component-rules.ts'
import { all, askAccess, type BootstrapRole, read, rule } from './bootstrap-role.ts'

const leases = rule('coordination.k8s.io', ['leases'], all)
const events = rule(['', 'events.k8s.io'], ['events'], ['create', 'patch', 'update'])

function roleOf(component: keyof typeof componentRules): BootstrapRole {
  const name = `system:steadyvm:${component}`
  return { name, users: [name], rules: componentRules[component].cluster }
}

/**
 * Least privilege, one row per component that virt-operator installs: users named
 * `system:steadyvm:<component>`. What they may do changes with their version.
 */
export const installedRoles: readonly BootstrapRole[] = [
  { ...roleOf('virt-api'), keptBy: 'virt-operator' },
  { ...roleOf('virt-controller'), keptBy: 'virt-operator' },
  // One user on each node.
  { ...roleOf('virt-handler'), keptBy: 'virt-operator', groups: ['system:steadyvm:virt-handlers'] },
]

/** The same for what a cluster begins with. */
export const componentRoles: readonly BootstrapRole[] = [
  {
    name: 'system:node',
    groups: ['system:nodes'],
    rules: [
      // What its pods refer to, and their tokens, it gets by the node authorizer; what it may write
      // is narrowed by NodeRestriction.
      rule('', ['nodes'], [...read, 'create', 'patch', 'update']),
      rule('', ['nodes/status'], ['patch', 'update']),
      rule('', ['pods'], [...read, 'create', 'delete']),
      rule('', ['pods/status'], ['patch', 'update']),
      rule('', ['pods/eviction'], ['create']),
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
