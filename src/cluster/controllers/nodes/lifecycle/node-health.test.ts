import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Node, NodeCondition, Taint } from '#api/core/v1/node.ts'
import { leases } from '#api/coordination/v1/resources.ts'
import { nodes, pods } from '#api/core/v1/resources.ts'
import { createInformerSet } from '#runtime/cache/informer-set.ts'
import { silentLogger as log } from '#runtime/process/log.ts'
import { createVirtualClock } from '#runtime/clock/virtual-clock.ts'
import { MemoryApi } from '#cluster/memory-api.fixture.ts'
import { lifecycleTaints, unknownConditions } from './node-health.ts'
import { createNodeLifecycleController } from './node-lifecycle-controller.ts'

const now = '2026-01-01T00:00:00Z'

function node(ready: NodeCondition['status'], taints?: Taint[], unschedulable = false): Node {
  return {
    metadata: { name: 'n' },
    spec: { ...(taints === undefined ? {} : { taints }), unschedulable },
    status: { conditions: [{ type: 'Ready', status: ready }] },
  }
}

const keys = (taints: readonly Taint[]): string[] => taints.map(({ key, effect }) => `${key.split('/')[1] ?? key}:${effect}`)

suite('lifecycleTaints()', () => {
  const own: Taint = { key: 'team/own', effect: 'NoSchedule' }
  const cases = [
    { name: 'does not change a ready node', node: node('True'), taints: [] },
    { name: 'marks an unreachable node', node: node('Unknown'), taints: ['unreachable:NoSchedule', 'unreachable:NoExecute'] },
    { name: 'marks a node that is not ready', node: node('False'), taints: ['not-ready:NoSchedule', 'not-ready:NoExecute'] },
    { name: 'marks a cordoned node', node: node('True', [], true), taints: ['unschedulable:NoSchedule'] },
    {
      name: 'keeps what others have set',
      node: node('Unknown', [own]),
      taints: ['own:NoSchedule', 'unreachable:NoSchedule', 'unreachable:NoExecute'],
    },
    {
      name: 'removes its taints',
      node: node('True', [own, { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }]),
      taints: ['own:NoSchedule'],
    },
  ]
  for (const one of cases) test(one.name, () => assert.deepEqual(keys(lifecycleTaints(one.node, now)), one.taints))

  test('returns the same list when nothing changes', () => {
    const taints = [own]
    assert.equal(lifecycleTaints(node('True', taints), now), taints)
  })
})

suite('silentConditions()', () => {
  test('sets every condition of the kubelet to Unknown, once', () => {
    const silent = unknownConditions(node('True'), now)
    assert.deepEqual(
      silent.map(({ type, status }) => `${type} ${status}`),
      ['Ready Unknown', 'MemoryPressure Unknown', 'DiskPressure Unknown', 'PIDPressure Unknown'],
    )
    assert.equal(unknownConditions({ metadata: {}, status: { conditions: silent } }, now), silent)
  })
})

suite('createNodeLifecycleController()', () => {
  test('marks a node Unknown when its lease expires, ignores the time before the controller started, and recovers the node', async () => {
    const clock = createVirtualClock()
    const api = new MemoryApi(() => clock.now())
    await api.create(nodes, node('True'))
    const renewTime = new Date(clock.now() - 3_600_000).toISOString()
    await api.create(leases, { metadata: { namespace: 'kube-node-lease', name: 'n' }, spec: { leaseDurationSeconds: 40, renewTime } })
    await api.create(pods, {
      metadata: { namespace: 'default', name: 'p' },
      spec: { nodeName: 'n', containers: [] },
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    })
    const informers = createInformerSet({ client: api, clock, log })
    const controller = createNodeLifecycleController({ client: api, informers, clock, log })
    const stop = new AbortController()
    const running = Promise.all([informers.run(stop.signal), controller.run(stop.signal)])
    const readyOf = (): string | undefined => api.peek(nodes, '', 'n')?.status?.conditions?.find(({ type }) => type === 'Ready')?.status
    await clock.advance(30_000)
    assert.equal(readyOf(), 'True')
    await clock.advance(20_000)
    for (let turn = 0; turn < 20; turn++) await clock.settle()
    assert.equal(readyOf(), 'Unknown')
    assert.deepEqual(keys(api.peek(nodes, '', 'n')?.spec?.taints ?? []), ['unreachable:NoSchedule', 'unreachable:NoExecute'])
    assert.equal(api.peek(pods, 'default', 'p')?.status?.conditions?.[0]?.status, 'False')
    // It was only asleep: what its kubelet says then takes the taints off.
    const body = { spec: { renewTime: new Date(clock.now()).toISOString() } }
    await api.patch(leases, { namespace: 'kube-node-lease', name: 'n' }, { type: 'merge', body })
    await api.patch(nodes, { name: 'n' }, { type: 'merge', body: { status: node('True').status } }, { subresource: 'status' })
    for (let turn = 0; turn < 20; turn++) await clock.settle()
    assert.deepEqual(api.peek(nodes, '', 'n')?.spec?.taints, [])
    stop.abort()
    await running
  })
})
