import { all, type BootstrapRole, read, rule, write } from './bootstrap-role.ts'

/** Resources together with their status. */
function withStatus(...resources: readonly string[]): string[] {
  return resources.flatMap((resource) => [resource, `${resource}/status`])
}

const scaled = ['deployments', 'replicasets', 'statefulsets'] as const
const scales = scaled.map((resource) => `${resource}/scale`)
const writtenCore = [
  'configmaps',
  'events',
  'persistentvolumeclaims',
  'replicationcontrollers',
  'replicationcontrollers/scale',
  'secrets',
  'serviceaccounts',
  'services',
  'services/proxy',
] as const
const intoPods = ['pods/attach', 'pods/exec', 'pods/portforward', 'pods/proxy'] as const

/** Roles to bind in namespaces. Operators extend them by aggregation labels. */
export const userRoles: readonly BootstrapRole[] = [
  { name: 'admin', aggregates: 'admin' },
  { name: 'edit', aggregates: 'edit', aggregateTo: 'admin' },
  { name: 'view', aggregates: 'view', aggregateTo: 'edit' },
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
      rule('', [...intoPods, 'secrets', 'services/proxy'], read),
      rule('', ['serviceaccounts'], ['impersonate']),
      rule('', ['pods', ...intoPods], write),
      rule('', ['pods/eviction', 'serviceaccounts/token'], ['create']),
      rule('', writtenCore, write),
      rule('apps', ['daemonsets', ...scaled, ...scales, 'deployments/rollback'], write),
      rule('autoscaling', ['horizontalpodautoscalers'], write),
      rule('batch', ['cronjobs', 'jobs'], write),
      rule('policy', ['poddisruptionbudgets'], write),
      rule('networking.k8s.io', ['ingresses', 'networkpolicies'], write),
      rule('coordination.k8s.io', ['leases'], all),
    ],
  },
  {
    name: 'system:aggregate-to-view',
    aggregateTo: 'view',
    rules: [
      rule(
        '',
        [
          ...withStatus('namespaces', 'persistentvolumeclaims', 'pods', 'replicationcontrollers', 'resourcequotas', 'services'),
          'bindings',
          'configmaps',
          'endpoints',
          'events',
          'limitranges',
          'pods/log',
          'replicationcontrollers/scale',
          'serviceaccounts',
        ],
        read,
      ),
      rule('apps', [...withStatus('daemonsets', ...scaled), ...scales, 'controllerrevisions'], read),
      rule('autoscaling', withStatus('horizontalpodautoscalers'), read),
      rule('batch', withStatus('cronjobs', 'jobs'), read),
      rule('discovery.k8s.io', ['endpointslices'], read),
      rule('policy', withStatus('poddisruptionbudgets'), read),
      rule('networking.k8s.io', withStatus('ingresses', 'networkpolicies'), read),
    ],
  },
]
