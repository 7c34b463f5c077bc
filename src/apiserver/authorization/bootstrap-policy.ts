import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { BindingObject, PolicyRule, RoleObject, Subject } from './policy.ts'

/** One role of the bootstrap policy, and who holds it from the start. */
interface BootstrapRole {
  readonly name: string
  readonly rules?: readonly PolicyRule[]
  /** Label value under which this role becomes part of `admin`, `edit` or `view`. */
  readonly aggregateTo?: 'admin' | 'edit' | 'view'
  /** Labels of the roles that make up this one. */
  readonly aggregates?: readonly ('admin' | 'edit' | 'view')[]
  readonly users?: readonly string[]
  readonly groups?: readonly string[]
}

const apiVersion = 'rbac.authorization.k8s.io/v1'
const rbacGroup = 'rbac.authorization.k8s.io'
const aggregationLabel = (to: string): string => `rbac.authorization.k8s.io/aggregate-to-${to}`

const read = ['get', 'list', 'watch'] as const
const write = ['create', 'delete', 'deletecollection', 'patch', 'update'] as const
const all = [...read, ...write] as const

function rule(group: string | readonly string[], resources: readonly string[], verbs: readonly string[]): PolicyRule {
  return { apiGroups: [group].flat(), resources, verbs }
}
function paths(...nonResourceURLs: readonly string[]): PolicyRule {
  return { nonResourceURLs, verbs: ['get'] }
}
const leases = rule('coordination.k8s.io', ['leases'], all)
const events = rule(['', 'events.k8s.io'], ['events'], ['create', 'patch', 'update'])
const askAccess = [
  rule('authentication.k8s.io', ['tokenreviews'], ['create']),
  rule('authorization.k8s.io', ['subjectaccessreviews'], ['create']),
]
const healthPaths = ['/healthz', '/livez', '/readyz', '/version', '/version/'] as const

const vmGroups = [
  'kubevirt.io',
  'pool.kubevirt.io',
  'snapshot.kubevirt.io',
  'clone.kubevirt.io',
  'export.kubevirt.io',
  'cdi.kubevirt.io',
] as const
const instancetypes = ['virtualmachineinstancetypes', 'virtualmachinepreferences'] as const
const clusterInstancetypes = ['virtualmachineclusterinstancetypes', 'virtualmachineclusterpreferences'] as const
const coreWorkload = [
  'configmaps',
  'endpoints',
  'persistentvolumeclaims',
  'pods',
  'replicationcontrollers',
  'serviceaccounts',
  'services',
] as const

/** Least privilege, one row per role. Components of the control plane are users named `system:steadyvm:<component>`. */
const roles: readonly BootstrapRole[] = [
  { name: 'cluster-admin', rules: [rule('*', ['*'], ['*']), { nonResourceURLs: ['*'], verbs: ['*'] }], groups: ['system:masters'] },
  {
    name: 'system:discovery',
    rules: [paths(...healthPaths, '/api', '/api/*', '/apis', '/apis/*', '/openapi', '/openapi/*')],
    groups: ['system:authenticated'],
  },
  {
    name: 'system:public-info-viewer',
    rules: [paths(...healthPaths, '/readyz/*', '/livez/*')],
    groups: ['system:authenticated', 'system:unauthenticated'],
  },
  {
    name: 'system:basic-user',
    rules: [
      rule('authorization.k8s.io', ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'], ['create']),
      rule('authentication.k8s.io', ['selfsubjectreviews'], ['create']),
    ],
    groups: ['system:authenticated'],
  },
  {
    name: 'system:service-account-issuer-discovery',
    rules: [paths('/.well-known/openid-configuration', '/.well-known/openid-configuration/', '/openid/v1/jwks', '/openid/v1/jwks/')],
    groups: ['system:serviceaccounts'],
  },
  // Servers behind APIServices ask us who somebody is, and whether they may.
  { name: 'system:auth-delegator', rules: askAccess },
  { name: 'system:monitoring', rules: [paths('/metrics', ...healthPaths, '/readyz/*', '/livez/*')], groups: ['system:monitoring'] },

  { name: 'admin', aggregates: ['admin', 'edit', 'view'] },
  { name: 'edit', aggregates: ['edit', 'view'] },
  { name: 'view', aggregates: ['view'] },
  {
    name: 'system:aggregate-to-admin',
    aggregateTo: 'admin',
    rules: [
      rule('rbac.authorization.k8s.io', ['rolebindings', 'roles'], all),
      rule('authorization.k8s.io', ['localsubjectaccessreviews'], ['create']),
    ],
  },
  {
    name: 'system:aggregate-to-edit',
    aggregateTo: 'edit',
    rules: [
      rule('', [...coreWorkload, 'secrets'], all),
      rule('', ['pods/attach', 'pods/exec', 'pods/portforward', 'pods/proxy', 'services/proxy'], ['get', ...write]),
      rule('', ['pods/eviction', 'serviceaccounts/token'], ['create']),
      rule(
        'apps',
        ['daemonsets', 'deployments', 'deployments/scale', 'replicasets', 'replicasets/scale', 'statefulsets', 'statefulsets/scale'],
        all,
      ),
      rule('batch', ['cronjobs', 'jobs'], all),
      rule('policy', ['poddisruptionbudgets'], all),
      rule('networking.k8s.io', ['ingresses', 'networkpolicies'], all),
      leases,
    ],
  },
  {
    name: 'system:aggregate-to-view',
    aggregateTo: 'view',
    rules: [
      rule(
        '',
        [
          ...coreWorkload,
          'bindings',
          'events',
          'limitranges',
          'namespaces',
          'namespaces/status',
          'pods/log',
          'pods/status',
          'resourcequotas',
        ],
        read,
      ),
      rule(
        'apps',
        ['controllerrevisions', 'daemonsets', 'deployments', 'deployments/scale', 'replicasets', 'replicasets/scale', 'statefulsets'],
        read,
      ),
      rule('batch', ['cronjobs', 'jobs'], read),
      rule('discovery.k8s.io', ['endpointslices'], read),
      rule('policy', ['poddisruptionbudgets'], read),
      rule('networking.k8s.io', ['ingresses', 'networkpolicies'], read),
    ],
  },
  {
    name: 'kubevirt.io:edit',
    aggregateTo: 'edit',
    rules: [
      rule(vmGroups, ['*'], all),
      rule('instancetype.kubevirt.io', instancetypes, all),
      rule('subresources.kubevirt.io', ['*'], ['get', 'update', 'create']),
    ],
  },
  {
    name: 'kubevirt.io:view',
    aggregateTo: 'view',
    rules: [rule(vmGroups, ['*'], read), rule('instancetype.kubevirt.io', [...instancetypes, ...clusterInstancetypes], read)],
  },
  {
    name: 'instancetype.kubevirt.io:view',
    rules: [rule('instancetype.kubevirt.io', clusterInstancetypes, read)],
    groups: ['system:authenticated'],
  },

  {
    name: 'system:node',
    groups: ['system:nodes'],
    rules: [
      rule('', ['nodes'], [...read, 'create', 'delete', 'patch', 'update']),
      rule('', ['nodes/status'], ['patch', 'update']),
      rule('', ['pods'], [...read, 'create', 'delete']),
      rule('', ['pods/status'], ['patch', 'update']),
      rule('', ['pods/eviction', 'serviceaccounts/token'], ['create']),
      rule('', ['configmaps', 'persistentvolumeclaims', 'persistentvolumes', 'secrets', 'serviceaccounts', 'services', 'namespaces'], read),
      rule('storage.k8s.io', ['csidrivers', 'csinodes', 'storageclasses', 'volumeattachments'], read),
      rule('node.k8s.io', ['runtimeclasses'], read),
      leases,
      events,
      ...askAccess,
    ],
  },
  {
    name: 'system:steadyvm:virt-api',
    users: ['system:steadyvm:virt-api'],
    rules: [
      rule(
        'admissionregistration.k8s.io',
        ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'],
        [...read, 'create', 'patch', 'update'],
      ),
      rule('apiregistration.k8s.io', ['apiservices'], [...read, 'create', 'patch', 'update']),
      rule('apiextensions.k8s.io', ['customresourcedefinitions'], read),
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
    users: ['system:steadyvm:virt-controller'],
    rules: [
      rule(vmGroups, ['*'], all),
      rule('migrations.kubevirt.io', ['*'], read),
      rule('instancetype.kubevirt.io', ['*'], read),
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
      leases,
      events,
      ...askAccess,
    ],
  },
  {
    name: 'system:steadyvm:virt-handler',
    users: ['system:steadyvm:virt-handler'],
    groups: ['system:steadyvm:virt-handlers'],
    rules: [
      rule('kubevirt.io', ['virtualmachineinstances'], [...read, 'patch', 'update']),
      rule('kubevirt.io', ['virtualmachineinstances/status', 'virtualmachineinstances/finalizers'], ['patch', 'update']),
      rule('kubevirt.io', ['kubevirts', 'virtualmachineinstancemigrations', 'virtualmachines'], read),
      rule('migrations.kubevirt.io', ['*'], read),
      rule('', ['nodes'], [...read, 'patch', 'update']),
      rule('', ['nodes/status'], ['patch', 'update']),
      rule('', ['pods'], [...read, 'patch']),
      rule('', ['configmaps', 'persistentvolumeclaims', 'secrets', 'serviceaccounts'], ['get']),
      leases,
      events,
      ...askAccess,
    ],
  },
]

function roleObject(role: BootstrapRole): KubeObject {
  const labels = {
    'kubernetes.io/bootstrapping': 'rbac-defaults',
    ...(role.aggregateTo === undefined ? {} : { [aggregationLabel(role.aggregateTo)]: 'true' }),
  }
  const aggregationRule =
    role.aggregates === undefined
      ? {}
      : { aggregationRule: { clusterRoleSelectors: role.aggregates.map((to) => ({ matchLabels: { [aggregationLabel(to)]: 'true' } })) } }
  const metadata = { name: role.name, labels, annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' } }
  const object: RoleObject = { apiVersion, kind: 'ClusterRole', metadata, ...aggregationRule, rules: role.rules ?? [] }
  return object
}

function bindingObject(role: BootstrapRole): KubeObject | undefined {
  const subjects: Subject[] = [
    ...(role.users ?? []).map((name) => ({ apiGroup: rbacGroup, kind: 'User', name })),
    ...(role.groups ?? []).map((name) => ({ apiGroup: rbacGroup, kind: 'Group', name })),
  ]
  if (subjects.length === 0) return undefined
  const metadata = {
    name: role.name,
    labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' },
    annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
  }
  const roleRef = { apiGroup: rbacGroup, kind: 'ClusterRole', name: role.name }
  const object: BindingObject = { apiVersion, kind: 'ClusterRoleBinding', metadata, roleRef, subjects }
  return object
}

/** The roles and bindings that every server starts with. */
export function bootstrapPolicy(): { readonly roles: readonly KubeObject[]; readonly bindings: readonly KubeObject[] } {
  return { roles: roles.map(roleObject), bindings: roles.map(bindingObject).filter((binding) => binding !== undefined) }
}
