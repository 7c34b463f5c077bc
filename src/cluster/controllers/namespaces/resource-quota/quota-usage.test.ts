import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { ResourceQuota } from '#api/core/v1/resource-quota.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { countedResources, quotaStatus } from './quota-usage.ts'

const now = Date.parse('2026-11-21T10:00:00Z')
const quota = (hard: Record<string, string>): ResourceQuota => ({ metadata: { namespace: 'default', name: 'q' }, spec: { hard } })
const core = (plural: string, ...objects: object[]) => ({ group: '', plural, objects: objects as KubeObject[] })
const pod = (requests: object, phase = 'Running', deletionTimestamp?: string): object => ({
  metadata: { name: 'a', ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) },
  spec: { containers: [{ name: 'main', resources: { requests } }] },
  status: { phase },
})

suite('quotaStatus()', () => {
  const cases: { name: string; hard: Record<string, string>; counted: ReturnType<typeof core>[]; used: Record<string, string> }[] = [
    {
      name: 'reports 0 for an unused resource',
      hard: { pods: '3', 'count/x.example.org': '1' },
      counted: [],
      used: { pods: '0', 'count/x.example.org': '0' },
    },
    {
      name: 'pods that have ended, or are past their grace, are only names',
      hard: { pods: '9', 'count/pods': '9', cpu: '9' },
      counted: [
        core(
          'pods',
          pod({ cpu: '1' }),
          pod({ cpu: '1' }, 'Failed'),
          pod({ cpu: '1' }, 'Running', '2026-11-21T09:59:59Z'),
          pod({ cpu: '1' }, 'Running', '2026-11-21T10:00:30Z'),
        ),
      ],
      used: { pods: '2', 'count/pods': '4', cpu: '2' },
    },
    {
      name: 'extended resources count as requests',
      hard: { 'requests.example.org/gpu': '4', 'requests.memory': '4Gi' },
      counted: [core('pods', pod({ 'example.org/gpu': '2', memory: '1536Mi' }))],
      used: { 'requests.example.org/gpu': '2', 'requests.memory': '1536Mi' },
    },
    {
      name: 'storage counts as a whole and by class',
      hard: { 'requests.storage': '9Gi', 'fast.storageclass.storage.k8s.io/requests.storage': '9Gi', persistentvolumeclaims: '9' },
      counted: [
        core(
          'persistentvolumeclaims',
          { spec: { storageClassName: 'fast', resources: { requests: { storage: '1Gi' } } } },
          { spec: { resources: { requests: { storage: '2Gi' } } } },
        ),
      ],
      used: { 'requests.storage': '3Gi', 'fast.storageclass.storage.k8s.io/requests.storage': '1Gi', persistentvolumeclaims: '2' },
    },
    {
      name: 'services count by what they take of nodes',
      hard: { services: '9', 'services.nodeports': '9', 'services.loadbalancers': '9' },
      counted: [
        core(
          'services',
          { spec: { type: 'NodePort', ports: [{ port: 1 }, { port: 2 }] } },
          { spec: { type: 'LoadBalancer', ports: [{ port: 1 }] } },
          {},
        ),
      ],
      used: { services: '3', 'services.nodeports': '3', 'services.loadbalancers': '1' },
    },
  ]
  for (const { name, hard, counted, used } of cases) {
    test(name, () => assert.deepEqual(quotaStatus(quota(hard), counted, now), { hard, used }))
  }
})

test('countedResources() returns each resource once, and none for unknown names', () => {
  const hard = {
    pods: '1',
    'limits.cpu': '1',
    'count/deployments.apps': '1',
    'services.nodeports': '1',
    'requests.storage': '1',
    nonsense: '1',
  }
  assert.deepEqual(countedResources(quota(hard)), [
    { group: '', plural: 'pods' },
    { group: 'apps', plural: 'deployments' },
    { group: '', plural: 'services' },
    { group: '', plural: 'persistentvolumeclaims' },
  ])
})
