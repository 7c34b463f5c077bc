import type {
  FlowSchema,
  FlowSubject,
  LimitedPriorityLevelConfiguration,
  PolicyRulesWithSubjects,
  PriorityLevelConfiguration,
  ResourcePolicyRule,
} from '#api/flowcontrol/v1/flow-schema.ts'

/** Objects that cannot be changed: without them a request might belong to no priority level. */
export const mandatoryNames: ReadonlySet<string> = new Set(['exempt', 'catch-all'])

const all = ['*']
const everyResource: ResourcePolicyRule = { verbs: all, apiGroups: all, resources: all, clusterScope: true, namespaces: all }
const everyPath = { verbs: all, nonResourceURLs: all }
const user = (name: string): FlowSubject => ({ kind: 'User', user: { name } })
const group = (name: string): FlowSubject => ({ kind: 'Group', group: { name } })
const systemAccount = (name: string): FlowSubject => ({ kind: 'ServiceAccount', serviceAccount: { namespace: 'kube-system', name } })
const everybody = [group('system:unauthenticated'), group('system:authenticated')]
const elections = { verbs: ['get', 'create', 'update'], namespaces: all }
const leases: ResourcePolicyRule = { ...elections, apiGroups: ['coordination.k8s.io'], resources: ['leases'] }

/** All requests of some subjects. */
function allOf(...subjects: FlowSubject[]): PolicyRulesWithSubjects {
  return { subjects, resourceRules: [everyResource], nonResourceRules: [everyPath] }
}

type Method = 'ByUser' | 'ByNamespace' | undefined

function schema(name: string, level: string, matchingPrecedence: number, method: Method, ...rules: PolicyRulesWithSubjects[]): FlowSchema {
  return {
    metadata: { name },
    spec: {
      priorityLevelConfiguration: { name: level },
      matchingPrecedence,
      ...(method === undefined ? {} : { distinguisherMethod: { type: method } }),
      rules,
    },
  }
}

/** FlowSchemas that every cluster has, with the precedences of kube-apiserver. */
export const suggestedSchemas: readonly FlowSchema[] = [
  schema('exempt', 'exempt', 1, undefined, allOf(group('system:masters'))),
  schema('probes', 'exempt', 2, undefined, {
    subjects: everybody,
    nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }],
  }),
  schema('system-leader-election', 'leader-election', 100, 'ByUser', {
    subjects: [user('system:kube-controller-manager'), user('system:kube-scheduler'), systemAccount('*')],
    resourceRules: [leases],
  }),
  schema('endpoint-controller', 'workload-high', 150, 'ByUser', {
    subjects: [
      user('system:kube-controller-manager'),
      systemAccount('endpoint-controller'),
      systemAccount('endpointslicemirroring-controller'),
    ],
    resourceRules: [{ ...elections, apiGroups: [''], resources: ['endpoints'] }],
  }),
  schema('workload-leader-election', 'leader-election', 200, 'ByUser', {
    subjects: [systemAccount('*')],
    resourceRules: [{ ...elections, apiGroups: [''], resources: ['endpoints', 'configmaps'] }, leases],
  }),
  schema('system-node-high', 'node-high', 400, 'ByUser', {
    subjects: [group('system:nodes')],
    resourceRules: [
      { ...everyResource, apiGroups: [''], resources: ['nodes', 'nodes/status'] },
      { verbs: all, apiGroups: ['coordination.k8s.io'], resources: ['leases'], namespaces: all },
    ],
  }),
  schema('system-nodes', 'system', 500, 'ByUser', allOf(group('system:nodes'))),
  schema('kube-controller-manager', 'workload-high', 800, 'ByNamespace', allOf(user('system:kube-controller-manager'))),
  schema('kube-scheduler', 'workload-high', 800, 'ByNamespace', allOf(user('system:kube-scheduler'))),
  schema('kube-system-service-accounts', 'workload-high', 900, 'ByNamespace', allOf(systemAccount('*'))),
  schema('service-accounts', 'workload-low', 9000, 'ByUser', allOf(group('system:serviceaccounts'))),
  schema('global-default', 'global-default', 9900, 'ByUser', allOf(...everybody)),
  schema('catch-all', 'catch-all', 10_000, 'ByUser', allOf(...everybody)),
]

function limited(
  name: string,
  nominalConcurrencyShares: number,
  lendablePercent: number,
  limitResponse: NonNullable<LimitedPriorityLevelConfiguration['limitResponse']>,
): PriorityLevelConfiguration {
  return { metadata: { name }, spec: { type: 'Limited', limited: { nominalConcurrencyShares, limitResponse, lendablePercent } } }
}

function queues(count: number, handSize: number): NonNullable<LimitedPriorityLevelConfiguration['limitResponse']> {
  return { type: 'Queue', queuing: { queues: count, handSize, queueLengthLimit: 50 } }
}

/** Priority levels that every cluster has, with the shares of kube-apiserver. */
export const suggestedLevels: readonly PriorityLevelConfiguration[] = [
  { metadata: { name: 'exempt' }, spec: { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } } },
  limited('catch-all', 5, 0, { type: 'Reject' }),
  limited('global-default', 20, 50, queues(128, 6)),
  limited('leader-election', 10, 0, queues(16, 4)),
  limited('node-high', 40, 25, queues(64, 6)),
  limited('system', 30, 33, queues(64, 6)),
  limited('workload-high', 40, 50, queues(128, 6)),
  limited('workload-low', 100, 90, queues(128, 6)),
]
