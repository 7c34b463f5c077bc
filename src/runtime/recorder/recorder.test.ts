import assert from 'node:assert/strict'
import test from 'node:test'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { CoreEvent } from '#api/core/v1/event.ts'
import { events } from '#api/core/v1/resources.ts'
import { TransportError } from '#client/client.ts'
import { FakeApi } from '../cache/fake-api.fixture.ts'
import { silentLogger } from '../process/log.ts'
import { createVirtualClock } from '../clock/virtual-clock.ts'
import { createRecorder } from './recorder.ts'

function setup() {
  const [api, clock] = [new FakeApi(), createVirtualClock()]
  const recorder = createRecorder({ client: api, component: 'virt-controller', host: 'node-1', clock, log: silentLogger, random: () => 0 })
  const stored = (): CoreEvent[] => api.stored(events) as CoreEvent[]
  return { api, clock, recorder, stored }
}

function vm(name: string): KubeObject {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { namespace: 'n', name, uid: `uid-of-${name}`, resourceVersion: '7' },
  }
}

test('event() stores object, reason and message', async () => {
  const { clock, recorder, stored } = setup()
  recorder.event(vm('a'), 'Normal', 'Started', 'It runs')
  await clock.settle()
  const [event] = stored()
  assert.deepEqual(event?.involvedObject, {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    namespace: 'n',
    name: 'a',
    uid: 'uid-of-a',
    resourceVersion: '7',
  })
  assert.deepEqual([event.type, event.reason, event.message, event.count], ['Normal', 'Started', 'It runs', 1])
  assert.deepEqual(event.source, { component: 'virt-controller', host: 'node-1' })
  assert.equal(event.metadata.namespace, 'n')
  assert.match(event.metadata.name ?? '', /^a\.[0-9a-f]+$/)
  assert.equal(event.firstTimestamp, '2026-01-01T00:00:00Z')
})

test('event() counts repetitions in one object, also while it is being stored', async () => {
  const { api, clock, recorder, stored } = setup()
  api.before = () => clock.sleep(100)
  for (let i = 0; i < 5; i++) recorder.event(vm('a'), 'Warning', 'Failed', 'No disk')
  await clock.advance(5_000)
  recorder.event(vm('a'), 'Warning', 'Failed', 'No disk')
  await clock.advance(5_000)
  assert.equal(stored().length, 1)
  assert.equal(stored()[0]?.count, 6)
  assert.equal(stored()[0]?.lastTimestamp, '2026-01-01T00:00:05Z')
  assert.deepEqual(api.calls, ['create', 'patch', 'patch'])
})

test('event() begins a new object when the old one has expired', async () => {
  const { api, clock, recorder, stored } = setup()
  recorder.event(vm('a'), 'Normal', 'Started', 'It runs')
  await clock.settle()
  await api.delete(events, { namespace: 'n', name: stored()[0]?.metadata.name ?? '' })
  recorder.event(vm('a'), 'Normal', 'Started', 'It runs')
  await clock.settle()
  assert.equal(stored()[0]?.count, 2)
})

test('event() combines changing messages of one reason, and limits events per object', async () => {
  const { clock, recorder, stored } = setup()
  for (let i = 0; i < 40; i++) recorder.event(vm('a'), 'Warning', 'Failed', `try ${i}`)
  recorder.event(vm('b'), 'Normal', 'Started', 'It runs')
  await clock.advance(1_000)
  assert.equal(stored().length, 12)
  const combined = stored().find((event) => event.message?.startsWith('(combined from similar events): ') === true)
  assert.deepEqual([combined?.count, combined?.message], [15, '(combined from similar events): try 24'])
})

test('event() tolerates a server that is unavailable temporarily or permanently, and never throws', async () => {
  const { api, clock, recorder, stored } = setup()
  let failures = 2
  api.before = async () => {
    if (failures-- > 0) throw new TransportError('down')
  }
  recorder.event(vm('a'), 'Normal', 'Started', 'It runs')
  await clock.advance(10_000)
  assert.equal(stored().length, 1)
  failures = Number.POSITIVE_INFINITY
  recorder.event(vm('b'), 'Normal', 'Started', 'It runs')
  recorder.event({}, 'Normal', 'Started', 'Nobody')
  let flushed = false
  void recorder.flush().then(() => (flushed = true))
  await clock.advance(60_000)
  assert.equal(flushed, true)
  assert.equal(stored().length, 1)
  assert.equal(clock.pending, 0)
})

test('event() drops events above its limit', async () => {
  const [api, clock] = [new FakeApi(), createVirtualClock()]
  const recorder = createRecorder({ client: api, component: 'x', clock, log: silentLogger, queueLimit: 10 })
  api.before = () => clock.sleep(1_000)
  for (let i = 0; i < 100; i++) recorder.event(vm(`vm${i}`), 'Normal', 'Started', 'It runs')
  await clock.advance(60_000)
  assert.equal(api.stored(events).length, 14)
})
