import assert from 'node:assert/strict'
import { test } from 'node:test'
import { events, nodes, pods } from '#api/core/v1/resources.ts'
import type { Taint } from '#api/core/v1/node.ts'
import { createInformerSet } from '#runtime/cache/informer-set.ts'
import { silentLogger as log } from '#runtime/process/log.ts'
import { createRecorder } from '#runtime/recorder/recorder.ts'
import { createVirtualClock, type VirtualClock } from '#runtime/clock/virtual-clock.ts'
import { MemoryApi } from '#cluster/memory-api.fixture.ts'
import { createTaintEvictionController } from './taint-eviction-controller.ts'

async function withController(work: (api: MemoryApi, clock: VirtualClock) => Promise<void>): Promise<void> {
  const clock = createVirtualClock()
  const api = new MemoryApi(() => clock.now())
  const stop = new AbortController()
  const informers = createInformerSet({ client: api, clock, log })
  const recorder = createRecorder({ client: api, component: 'test', clock, log })
  const controller = createTaintEvictionController({ client: api, informers, clock, log, recorder })
  const running = Promise.all([informers.run(stop.signal), controller.run(stop.signal)])
  try {
    await work(api, clock)
  } finally {
    stop.abort()
    await clock.advance(0)
    await running
  }
}

const unreachable = (now: number): Taint => ({
  key: 'node.kubernetes.io/unreachable',
  effect: 'NoExecute',
  timeAdded: new Date(now).toISOString(),
})
const isDeleting = (api: MemoryApi, name: string): boolean => api.peek(pods, 'default', name)?.metadata.deletionTimestamp !== undefined

test('createTaintEvictionController() deletes pods of an unreachable node after their tolerationSeconds, unless it recovers', () =>
  withController(async (api, clock) => {
    await api.create(nodes, { metadata: { name: 'n1' }, spec: {} })
    const tolerations = [{ key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }]
    await api.create(pods, { metadata: { namespace: 'default', name: 'a' }, spec: { nodeName: 'n1', containers: [], tolerations } })
    await api.create(pods, {
      metadata: { namespace: 'default', name: 'mirror' },
      spec: { nodeName: 'n1', containers: [], tolerations: [{ operator: 'Exists', effect: 'NoExecute' }] },
    })
    const taint = (taints: Taint[]): Promise<unknown> => api.patch(nodes, { name: 'n1' }, { type: 'merge', body: { spec: { taints } } })
    await taint([unreachable(clock.now())])
    await clock.advance(200_000)
    await taint([])
    await clock.advance(200_000)
    assert.equal(isDeleting(api, 'a'), false)
    assert.ok(api.all(events).some(({ message }) => message === 'Cancelling deletion of Pod default/a'))
    await taint([unreachable(clock.now())])
    await clock.advance(299_000)
    assert.equal(isDeleting(api, 'a'), false)
    await clock.advance(2_000)
    assert.equal(isDeleting(api, 'a'), true)
    assert.equal(api.peek(pods, 'default', 'a')?.status?.conditions?.[0]?.reason, 'DeletionByTaintManager')
    assert.equal(isDeleting(api, 'mirror'), false)
  }))
