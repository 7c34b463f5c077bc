import { all, askAccess, type BootstrapRole, clusterInstancetypes, instancetypes, read, rule, vmGroups } from './bootstrap-role.ts'

const versionedDefinitions = [...instancetypes, ...clusterInstancetypes].map((plural) => `${plural}.instancetype.kubevirt.io`)
const leases = rule('coordination.k8s.io', ['leases'], all)
const events = rule(['', 'events.k8s.io'], ['events'], ['create', 'patch', 'update'])

/** Least privilege, one row per component that virt-operator installs: users named `system:steadyvm:<component>`. What they may do changes with their version. */
export const installedRoles: readonly BootstrapRole[] = [
  {
    name: 'system:steadyvm:virt-api',
    keptBy: 'virt-operator',
    users: ['system:steadyvm:virt-api'],
    rules: [
      rule(
        'admissionregistration.k8s.io',
        ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'],
        [...read, 'create', 'patch', 'update'],
      ),
      rule('apiregistration.k8s.io', ['apiservices'], [...read, 'create', 'patch', 'update']),
      rule('apiextensions.k8s.io', ['customresourcedefinitions'], read),
      // It converts between the versions of these, and has them served.
      { ...rule('apiextensions.k8s.io', ['customresourcedefinitions'], ['patch']), resourceNames: versionedDefinitions },
      rule('kubevirt.io', ['*'], read),
      // The start, stop and restart subresources are requests recorded in the VM's status.
      rule(
        'kubevirt.io',
        ['virtualmachines', 'virtualmachines/status', 'virtualmachineinstances', 'virtualmachineinstances/status'],
        ['patch', 'update'],
      ),
      rule('kubevirt.io', ['virtualmachineinstances', 'virtualmachineinstancemigrations'], ['create', 'delete']),
      rule('instancetype.kubevirt.io', ['*'], read),
      rule(
        [
          'snapshot.kubevirt.io',
          'clone.kubevirt.io',
          'export.kubevirt.io',
          'pool.kubevirt.io',
          'migrations.kubevirt.io',
          'cdi.kubevirt.io',
          'snapshot.storage.k8s.io',
        ],
        ['*'],
        read,
      ),
      rule('apps', ['controllerrevisions'], read),
      rule('', ['configmaps', 'limitranges', 'namespaces', 'nodes', 'persistentvolumeclaims', 'pods'], read),
      rule('storage.k8s.io', ['storageclasses'], read),
      leases,
      events,
      ...askAccess,
    ],
  },
  {
    name: 'system:steadyvm:virt-controller',
    keptBy: 'virt-operator',
    users: ['system:steadyvm:virt-controller'],
    rules: [
      rule(vmGroups, ['*'], all),
      rule('migrations.kubevirt.io', ['*'], read),
      rule('steadyvm.io', ['hardwarerecords'], read),
      rule('instancetype.kubevirt.io', ['*'], read),
      // The catalogue that comes with the system is kept by its controller.
      rule(
        'instancetype.kubevirt.io',
        ['virtualmachineclusterinstancetypes', 'virtualmachineclusterpreferences'],
        ['create', 'patch', 'delete'],
      ),
      rule('apps', ['controllerrevisions'], all),
      rule('', ['pods', 'persistentvolumeclaims'], all),
      rule('', ['pods/status', 'pods/finalizers'], ['patch', 'update']),
      rule('', ['pods/eviction'], ['create']),
      rule('', ['configmaps', 'limitranges', 'namespaces', 'nodes', 'resourcequotas', 'secrets', 'serviceaccounts', 'services'], read),
      rule('', ['nodes'], ['patch', 'update']),
      rule('', ['configmaps'], ['create', 'patch', 'update', 'delete']),
      rule('policy', ['poddisruptionbudgets'], all),
      rule('storage.k8s.io', ['storageclasses'], read),
      rule('apiextensions.k8s.io', ['customresourcedefinitions'], read),
      // It rewrites objects that are stored in old versions, as they are, and notes when there are none left.
      rule('apiextensions.k8s.io', ['customresourcedefinitions/status'], ['patch']),
      rule('instancetype.kubevirt.io', instancetypes, ['patch']),
      leases,
      events,
      ...askAccess,
    ],
  },
  {
    name: 'system:steadyvm:virt-handler',
    keptBy: 'virt-operator',
    users: ['system:steadyvm:virt-handler'],
    groups: ['system:steadyvm:virt-handlers'],
    rules: [
      rule('kubevirt.io', ['virtualmachineinstances'], [...read, 'patch', 'update']),
      rule('kubevirt.io', ['virtualmachineinstances/status', 'virtualmachineinstances/finalizers'], ['patch', 'update']),
      rule('kubevirt.io', ['kubevirts', 'virtualmachineinstancemigrations', 'virtualmachines'], read),
      // What guests see of their hardware is written down where they run.
      rule('steadyvm.io', ['hardwarerecords'], ['get', 'create', 'update']),
      rule('migrations.kubevirt.io', ['*'], read),
      rule('', ['nodes'], [...read, 'patch', 'update']),
      rule('', ['pods'], read),
      leases,
      events,
      ...askAccess,
    ],
  },
]

/** The same for what a cluster begins with. */
export const componentRoles: readonly BootstrapRole[] = [
  {
    name: 'system:node',
    groups: ['system:nodes'],
    rules: [
      // What its pods refer to, and their tokens, it gets by the node authorizer; what it may write is narrowed by NodeRestriction.
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
  {
    name: 'system:steadyvm:virt-operator',
    users: ['system:steadyvm:virt-operator'],
    rules: [
      rule('kubevirt.io', ['kubevirts'], read),
      rule('kubevirt.io', ['kubevirts/status'], ['patch']),
      // What it installs, and what that may do: nobody gives what they have not.
      rule('apps', ['deployments', 'daemonsets'], all),
      rule('', ['services'], all),
      rule('apiextensions.k8s.io', ['customresourcedefinitions'], [...read, 'create', 'patch']),
      rule('rbac.authorization.k8s.io', ['clusterroles', 'clusterrolebindings'], all),
      ...installedRoles.flatMap(({ rules = [] }) => rules),
      // It replaces the pods of the node agents one by one.
      rule('', ['pods'], [...read, 'delete']),
      // And says on their nodes that it is about to.
      rule('', ['nodes'], [...read, 'patch']),
      // Before an upgrade it looks at all that can be in its way.
      rule('kubevirt.io', ['virtualmachines', 'virtualmachineinstances'], read),
      rule(['instancetype.kubevirt.io', 'snapshot.kubevirt.io', 'migrations.kubevirt.io'], ['*'], read),
      rule('', ['namespaces', 'resourcequotas'], read),
      rule('apps', ['controllerrevisions'], read),
      rule('policy', ['poddisruptionbudgets'], read),
      rule('discovery.k8s.io', ['endpointslices'], read),
      rule('admissionregistration.k8s.io', ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'], read),
      leases,
      events,
      ...askAccess,
    ],
  },
  ...installedRoles,
]
