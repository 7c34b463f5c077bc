import assert from 'node:assert/strict'
import test from 'node:test'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { createInformer } from '../cache/informer.ts'
import { FakeApi } from '../cache/fake-api.fixture.ts'
import { silentLogger } from '../process/log.ts'
import { createVirtualClock } from '../clock/virtual-clock.ts'
import { createController } from './controller.ts'
import { allOf, desiredStateChanged, whenObject } from './predicate.ts'
import { done } from './reconcile.ts'
import { enqueueMapped, enqueueOwner, enqueueSelf, initialPriority, watchResource } from './source.ts'
import type { Source } from './source.ts'

const things: ResourceType<KubeObject> = { group: 'test', version: 'v1', kind: 'Thing', plural: 'things', namespaced: true }

async function enqueued(
  api: FakeApi,
  makeSource: (informer: ReturnType<typeof createInformer>) => Source,
  act: () => Promise<void>,
): Promise<string[]> {
  const clock = createVirtualClock()
  const stop = new AbortController()
  const informer = createInformer({ client: api, resource: things, clock, log: silentLogger })
  const enqueuedKeys: string[] = []
  using _source = makeSource(informer).start((request, options) =>
    enqueuedKeys.push(`${request.name}${options?.priority === initialPriority ? ' (initial)' : ''}`),
  )
  const running = informer.run(stop.signal)
  await clock.settle()
  await act()
  await clock.settle()
  stop.abort()
  await running
  return enqueuedKeys
}

test('watchResource() enqueues existing objects with low priority, then changes, then deletions', async () => {
  const api = new FakeApi()
  await api.create(things, { metadata: { namespace: 'a', name: 'old' } })
  const enqueuedKeys = await enqueued(
    api,
    (informer) => watchResource(informer, enqueueSelf),
    async () => {
      await api.create(things, { metadata: { namespace: 'a', name: 'new' } })
      await api.delete(things, { namespace: 'a', name: 'old' })
    },
  )
  assert.deepEqual(enqueuedKeys, ['old (initial)', 'new', 'old'])
})

test('watchResource() also gives low priority to the objects of a running informer', async () => {
  const api = new FakeApi()
  await api.create(things, { metadata: { namespace: 'a', name: 'old' } })
  const clock = createVirtualClock()
  const stop = new AbortController()
  const informer = createInformer({ client: api, resource: things, clock, log: silentLogger })
  const running = informer.run(stop.signal)
  await clock.settle()
  const enqueuedKeys: [string, number | undefined][] = []
  using _source = watchResource(informer, enqueueSelf).start((request, options) => enqueuedKeys.push([request.name, options?.priority]))
  await api.create(things, { metadata: { namespace: 'a', name: 'new' } })
  await clock.settle()
  assert.deepEqual(enqueuedKeys, [
    ['old', initialPriority],
    ['new', undefined],
  ])
  stop.abort()
  await running
})

test('enqueueMapped() also maps the old state, so that the previous target is reconciled', async () => {
  const api = new FakeApi()
  await api.create(things, { metadata: { namespace: 'a', name: 'x', labels: { to: 'first' } } })
  const map = enqueueMapped((object) => [{ namespace: 'a', name: object.metadata?.labels?.['to'] ?? '' }])
  const enqueuedKeys = await enqueued(
    api,
    (informer) => watchResource(informer, map),
    async () => {
      const [old] = api.stored(things)
      await api.update(things, { ...old, metadata: { ...old?.metadata, labels: { to: 'second' } } })
    },
  )
  assert.deepEqual(enqueuedKeys, ['first (initial)', 'second', 'first'])
})

test('enqueueOwner() uses only the controlling owner of the group and kind, in any version', () => {
  const owner = (apiVersion: string, kind: string, name: string, controller?: boolean) => ({
    apiVersion,
    kind,
    name,
    uid: name,
    ...(controller === undefined ? {} : { controller }),
  })
  const object = {
    metadata: {
      namespace: 'n',
      name: 'pod',
      ownerReferences: [
        owner('kubevirt.io/v1alpha3', 'VirtualMachineInstance', 'yes', true),
        owner('kubevirt.io/v1', 'VirtualMachineInstance', 'not-controller'),
        owner('other.io/v1', 'VirtualMachineInstance', 'other-group', true),
        owner('kubevirt.io/v1', 'Other', 'other-kind', true),
      ],
    },
  }
  assert.deepEqual(enqueueOwner({ group: 'kubevirt.io', kind: 'VirtualMachineInstance' })(object), [{ namespace: 'n', name: 'yes' }])
})

test('desiredStateChanged() drops updates of the status only', () => {
  const object = (more: object): KubeObject => ({ metadata: { generation: 1, labels: { a: '1' }, ...more } })
  const update = (old: KubeObject, now: KubeObject) => desiredStateChanged({ type: 'updated', old, object: now })
  const before = object({})
  const cases = [
    { now: object({ resourceVersion: '2' }), passes: false },
    { now: object({ generation: 2 }), passes: true },
    { now: object({ labels: { a: '2' } }), passes: true },
    { now: object({ labels: {} }), passes: true },
    { now: object({ annotations: { x: '' } }), passes: true },
    { now: object({ deletionTimestamp: 'now' }), passes: true },
  ]
  for (const { now, passes } of cases) assert.equal(update(before, now), passes, JSON.stringify(now))
  assert.equal(update(before, before), true, 'a resync')
  assert.equal(desiredStateChanged({ type: 'deleted', object: before }), true)
})

test('whenObject() also passes the update after which an object does not match; allOf() requires all', () => {
  const named = (name: string): KubeObject => ({ metadata: { name } })
  const isA = whenObject<KubeObject>((object) => object.metadata?.name === 'a')
  assert.equal(isA({ type: 'updated', old: named('a'), object: named('b') }), true)
  assert.equal(isA({ type: 'added', object: named('b') }), false)
  assert.equal(allOf(isA, () => false)({ type: 'added', object: named('a') }), false)
})

test('createController() starts to reconcile only when every source has synced, and never one key twice at once', async () => {
  const api = new FakeApi()
  for (let i = 0; i < 20; i++) await api.create(things, { metadata: { namespace: 'a', name: `t${i % 5}-${i}` } })
  const clock = createVirtualClock()
  const stop = new AbortController()
  const informer = createInformer({ client: api, resource: things, clock, log: silentLogger })
  let busy = 0
  let most = 0
  const keys = new Set<string>()
  const controller = createController({
    name: 'x',
    clock,
    log: silentLogger,
    concurrency: 3,
    sources: [watchResource(informer, (object) => [{ namespace: '', name: object.metadata?.name?.slice(0, 2) ?? '' }])],
    reconciler: async ({ name }) => {
      assert.equal(informer.hasSynced, true)
      assert.equal(keys.has(name), false)
      keys.add(name)
      most = Math.max(most, ++busy)
      await clock.sleep(10)
      busy--
      keys.delete(name)
      return done
    },
  })
  const running = [controller.run(stop.signal)]
  await clock.advance(1000)
  assert.equal(most, 0)
  running.push(informer.run(stop.signal))
  await clock.advance(1000)
  assert.equal(most, 3)
  stop.abort()
  await Promise.all(running)
})
