import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { nodes, pods } from '#api/core/v1/resources.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { MemoryApi } from '#cluster/memory-api.fixture.ts'
import { createInformerSet } from '#runtime/cache/informer-set.ts'
import { silentLogger as log } from '#runtime/process/log.ts'
import { createVirtualClock } from '#runtime/clock/virtual-clock.ts'
import { createEndedPodsController } from './ended-pods-controller.ts'
import { createPodGcController } from './pod-gc-controller.ts'

const pod = (name: string, nodeName: string): Pod => ({ metadata: { namespace: 'default', name }, spec: { nodeName, containers: [] } })

suite('createPodGcController()', () => {
  test('removes only pods of a node that was deleted some time ago', async () => {
    const clock = createVirtualClock()
    const api = new MemoryApi(() => clock.now())
    for (const name of ['stays', 'goes', 'returns']) {
      await api.create(nodes, { metadata: { name } })
      await api.create(pods, pod(`on-${name}`, name))
    }
    const informers = createInformerSet({ client: api, clock, log })
    const controller = createPodGcController({ client: api, informers, clock, log })
    const stop = new AbortController()
    const running = Promise.all([informers.run(stop.signal), controller.run(stop.signal)])
    await clock.advance(1000)
    await api.delete(nodes, { name: 'goes' })
    await api.delete(nodes, { name: 'returns' })
    await clock.advance(30_000)
    assert.equal(api.all(pods).length, 3)
    await api.create(nodes, { metadata: { name: 'returns' } })
    await clock.advance(20_000)
    for (let turn = 0; turn < 10; turn++) await clock.settle()
    assert.deepEqual(
      api.all(pods).map(({ metadata }) => metadata.name),
      ['on-stays', 'on-returns'],
    )
    stop.abort()
    await running
  })
})

test('createEndedPodsController() removes the oldest terminated pods above the limit, and no running one', async () => {
  const clock = createVirtualClock()
  const api = new MemoryApi(() => clock.now())
  for (const name of ['first', 'second', 'third']) {
    await api.create(pods, { ...pod(name, 'n'), status: { phase: name === 'second' ? 'Failed' : 'Succeeded' } })
    await clock.advance(1000)
  }
  await api.create(pods, { ...pod('runs', 'n'), status: { phase: 'Running' } })
  const informers = createInformerSet({ client: api, clock, log })
  const stop = new AbortController()
  const controller = createEndedPodsController({ client: api, informers, clock, log, mostEnded: 1 })
  const running = Promise.all([informers.run(stop.signal), controller.run(stop.signal)])
  for (let turn = 0; turn < 20; turn++) await clock.settle()
  assert.deepEqual(
    api.all(pods).map(({ metadata }) => metadata.name),
    ['third', 'runs'],
  )
  stop.abort()
  await running
})
