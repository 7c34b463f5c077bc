import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { events, nodes, pods } from '#api/core/v1/resources.ts'
import type { Node } from '#api/core/v1/node.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { createInformerSet } from '#runtime/cache/informer-set.ts'
import { systemClock as clock } from '#runtime/clock/clock.ts'
import { silentLogger as log } from '#runtime/process/log.ts'
import { createRecorder } from '#runtime/recorder/recorder.ts'
import { eventually } from '../kubelet/kubelet.fixture.ts'
import { MemoryApi } from '../memory-api.fixture.ts'
import { createScheduler } from './scheduler.ts'

const node = (name: string, cpu: string): Node => ({ metadata: { name }, status: { allocatable: { cpu, memory: '8Gi', pods: '100' } } })
const pod = (name: string, cpu: string): Pod => ({
  metadata: { name, namespace: 'default' },
  spec: { containers: [{ name: 'main', resources: { requests: { cpu } } }] },
})

async function withScheduler(work: (api: MemoryApi) => Promise<void>): Promise<void> {
  const api = new MemoryApi()
  const stop = new AbortController()
  const informers = createInformerSet({ client: api, clock, log })
  const recorder = createRecorder({ client: api, component: 'scheduler', clock, log })
  const scheduler = createScheduler({ client: api, informers, clock, log, recorder })
  const running = Promise.all([informers.run(stop.signal), scheduler.run(stop.signal)])
  try {
    await work(api)
  } finally {
    stop.abort()
    await running
  }
}

const nodeOf = (api: MemoryApi, name: string): string | undefined => api.peek(pods, 'default', name)?.spec.nodeName

suite('createScheduler()', () => {
  test('does not assign the same resources twice to concurrent pods', () =>
    withScheduler(async (api) => {
      await api.create(nodes, node('n1', '2'))
      await Promise.all(Array.from({ length: 5 }, (_, index) => api.create(pods, pod(`p${index}`, '1'))))
      const refused = (): number => api.all(pods).filter((one) => one.status?.conditions?.[0]?.status === 'False').length
      await eventually(() => refused() === 3)
      assert.equal(api.all(pods).filter((one) => one.spec.nodeName === 'n1').length, 2)
    }))

  test('reports why a pod does not fit, and retries when a node is added or a pod removed', () =>
    withScheduler(async (api) => {
      await api.create(nodes, node('n1', '1'))
      await api.create(pods, pod('a', '1'))
      await eventually(() => nodeOf(api, 'a') === 'n1')
      await api.create(pods, pod('b', '1'))
      await api.create(pods, pod('c', '1'))
      const condition = await eventually(() => api.peek(pods, 'default', 'c')?.status?.conditions?.[0])
      assert.equal(condition.reason, 'Unschedulable')
      assert.equal(
        condition.message,
        '0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.',
      )
      await eventually(() => api.all(events).some((event) => event.reason === 'FailedScheduling'))
      await api.delete(pods, { namespace: 'default', name: 'a' }, { gracePeriodSeconds: 0 })
      await eventually(() => nodeOf(api, 'b') === 'n1' || nodeOf(api, 'c') === 'n1')
      await api.create(nodes, node('n2', '1'))
      await eventually(() => nodeOf(api, 'b') !== undefined && nodeOf(api, 'c') !== undefined)
    }))
})
