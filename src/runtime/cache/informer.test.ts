import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Selection } from '#client/client.ts'
import { FakeApi } from './fake-api.fixture.ts'
import { silentLogger } from '../process/log.ts'
import { createVirtualClock } from '../clock/virtual-clock.ts'
import { createInformer } from './informer.ts'
import type { CacheEvent } from './lister.ts'

interface Thing extends KubeObject {
  value?: number
}
const things: ResourceType<Thing> = { group: 'test', version: 'v1', kind: 'Thing', plural: 'things', namespaced: true }

function thing(name: string, value: number, labels: Record<string, string> = {}): Thing {
  return { metadata: { namespace: 'ns', name, labels }, value }
}

function start(api: FakeApi, selection: Selection = {}, resyncMs?: number) {
  const clock = createVirtualClock()
  const stop = new AbortController()
  const events: CacheEvent<Thing>[] = []
  const informer = createInformer<Thing>({
    client: api,
    resource: things,
    selection,
    clock,
    log: silentLogger,
    freeze: true,
    random: () => 0.5,
    ...(resyncMs === undefined ? {} : { resyncMs }),
  })
  informer.onEvent((event) => events.push(event))
  const running = informer.run(stop.signal)
  return {
    clock,
    informer,
    events,
    summary: () => events.map((event) => `${event.type} ${event.object.metadata?.name}=${event.object.value}`),
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
      assert.equal(api.watchers, 0, 'no watch is left behind')
    },
  }
}

test('createInformer() lists all pages, then follows the watch', async () => {
  const api = new FakeApi()
  for (let i = 0; i < 1201; i++) await api.create(things, thing(`t${i}`, i))
  await using run = start(api)
  await run.clock.settle()
  assert.equal(run.informer.hasSynced, true)
  assert.equal(run.informer.list().length, 1201)
  assert.equal(api.calls.filter((call) => call === 'list').length, 3)
  await api.create(things, thing('new', 1))
  await run.clock.settle()
  assert.equal(run.informer.get('ns', 'new')?.value, 1)
  assert.throws(() => Object.assign(run.informer.get('ns', 'new') ?? {}, { value: 2 }), TypeError)
})

test('createInformer() resumes after a reset from the last version seen, without a list', async () => {
  const api = new FakeApi()
  await using run = start(api)
  await run.clock.settle()
  await api.create(things, thing('a', 1))
  await run.clock.settle()
  api.breakWatches()
  await api.create(things, thing('b', 2))
  await run.clock.advance(1_000)
  assert.deepEqual(run.summary(), ['added a=1', 'added b=2'])
  assert.equal(api.calls.filter((call) => call === 'list').length, 1)
})

test('createInformer() relists when its resourceVersion has expired, and reports missed changes', async () => {
  const api = new FakeApi()
  await api.create(things, thing('kept', 1))
  await api.create(things, thing('gone', 1))
  await using run = start(api)
  await run.clock.settle()
  api.before = async (verb) => {
    if (verb === 'watch') throw new Error('down')
  }
  api.breakWatches()
  await run.clock.settle()
  await api.delete(things, { namespace: 'ns', name: 'gone' })
  await api.update(things, thing('kept', 2))
  await api.create(things, thing('new', 3))
  api.restart()
  api.before = async () => {}
  await run.clock.advance(60_000)
  assert.deepEqual(run.summary().slice(2).toSorted(), ['added new=3', 'deleted gone=1', 'updated kept=2'])
})

test('createInformer() advances its resourceVersion by bookmarks, so that an idle watch survives compaction', async () => {
  const api = new FakeApi()
  await using run = start(api, { labelSelector: 'app=x' })
  await run.clock.settle()
  for (let i = 0; i < 10; i++) await api.create(things, thing(`other${i}`, i))
  api.bookmark()
  await run.clock.settle()
  api.compact()
  api.endWatches()
  await run.clock.advance(1_000)
  assert.equal(api.calls.filter((call) => call === 'list').length, 1)
  assert.equal(api.watchers, 1)
})

test('createInformer() keeps its resourceVersion when a server repeats old events', async () => {
  const api = new FakeApi()
  await using run = start(api)
  await run.clock.settle()
  for (const name of ['a', 'b', 'c']) await api.create(things, thing(name, 1))
  await run.clock.settle()
  api.replay(3)
  await run.clock.settle()
  api.compact()
  api.breakWatches()
  await run.clock.advance(1_000)
  assert.deepEqual(run.summary(), ['added a=1', 'added b=1', 'added c=1'])
  assert.equal(api.calls.filter((call) => call === 'list').length, 1)
})

test('createInformer() reports an object that was deleted and created again under its name as two objects', async () => {
  const api = new FakeApi()
  await api.create(things, thing('a', 1))
  await using run = start(api)
  await run.clock.settle()
  api.breakWatches()
  await api.delete(things, { namespace: 'ns', name: 'a' })
  await api.create(things, thing('a', 2))
  api.compact()
  await run.clock.advance(1_000)
  assert.deepEqual(run.summary(), ['added a=1', 'deleted a=1', 'added a=2'])
})

test('createInformer() follows a selector: objects leave and come back', async () => {
  const api = new FakeApi()
  await using run = start(api, { labelSelector: 'app=x' })
  await run.clock.settle()
  await api.create(things, thing('a', 1, { app: 'x' }))
  const uid = (await api.get(things, { namespace: 'ns', name: 'a' })).metadata?.uid ?? ''
  const labelled = (value: number, app: string): Thing => ({ metadata: { namespace: 'ns', name: 'a', uid, labels: { app } }, value })
  await api.update(things, labelled(2, 'y'))
  await api.update(things, labelled(3, 'x'))
  await run.clock.settle()
  api.replay(3)
  await run.clock.settle()
  assert.deepEqual(run.summary(), ['added a=1', 'deleted a=1', 'added a=3'])
})

test('createInformer() accepts the past of a server that was restored from a backup', async () => {
  const api = new FakeApi()
  await api.create(things, thing('a', 1))
  await using run = start(api)
  await run.clock.settle()
  await api.update(things, { ...thing('a', 2), metadata: { ...api.stored(things)[0]?.metadata } })
  await run.clock.settle()
  const restored = new FakeApi()
  const old = await restored.create(things, thing('a', 1))
  Object.assign(old.metadata ?? {}, { uid: api.stored(things)[0]?.metadata?.uid })
  api.list = restored.list.bind(restored)
  api.watch = restored.watch.bind(restored)
  restored.oldest = 0
  api.breakWatches()
  await run.clock.advance(1_000)
  assert.equal(run.informer.get('ns', 'a')?.value, 2, 'no sign yet')
  restored.bookmark()
  await run.clock.advance(1_000)
  assert.equal(run.informer.get('ns', 'a')?.value, 1)
  restored.endWatches()
})

test('createInformer() aborts a watch that the server does not end in time', async () => {
  const api = new FakeApi()
  await using run = start(api)
  await run.clock.settle()
  await run.clock.advance(450_000 + 29_000)
  assert.equal(api.calls.filter((call) => call === 'watch').length, 1)
  await run.clock.advance(2_000)
  assert.equal(api.calls.filter((call) => call === 'watch').length, 2)
})

test('createInformer() backs off from an unavailable server, up to a limit', async () => {
  const api = new FakeApi()
  let tries = 0
  api.before = async () => {
    tries++
    throw new Error('down')
  }
  await using run = start(api)
  await run.clock.advance(600_000)
  assert.ok(tries > 60 && tries < 120, `${tries} tries in ten minutes`)
  api.before = async () => {}
  await run.clock.advance(10_000)
  assert.equal(run.informer.hasSynced, true)
})

test('createInformer() does not let a watch that always expires spin', async () => {
  const api = new FakeApi()
  await using run = start(api)
  await run.clock.settle()
  const watch = api.watch.bind(api)
  api.watch = (resource, options) => watch(resource, { ...options, resourceVersion: '1' })
  api.breakWatches()
  api.calls.length = 0
  await run.clock.advance(60_000)
  assert.ok(api.calls.length < 40, `${api.calls.length} calls in a minute`)
})

test('createInformer() isolates listeners from each other and replays the cache to late ones', async () => {
  const api = new FakeApi()
  await using run = start(api)
  await run.clock.settle()
  const seen: string[] = []
  using _bad = run.informer.onEvent(() => {
    throw new Error('bad listener')
  })
  await api.create(things, thing('a', 1))
  await run.clock.settle()
  using late = run.informer.onEvent((event) => seen.push(event.type))
  await api.create(things, thing('b', 1))
  await run.clock.settle()
  late[Symbol.dispose]()
  await api.create(things, thing('c', 1))
  await run.clock.settle()
  assert.deepEqual(seen, ['added', 'added'])
  assert.equal(run.events.length, 3)
})

test('createInformer() replays everything at each resync', async () => {
  const api = new FakeApi()
  await api.create(things, thing('a', 1))
  await using run = start(api, {}, 60_000)
  await run.clock.advance(125_000)
  assert.deepEqual(run.summary(), ['added a=1', 'updated a=1', 'updated a=1'])
})

test('createInformer() keeps its indexes consistent', async () => {
  const api = new FakeApi()
  await api.create(things, thing('a', 1))
  await using run = start(api)
  run.informer.addIndex('value', (object) => [String(object.value)])
  await run.clock.settle()
  await api.create(things, thing('b', 1))
  await api.update(things, { ...thing('a', 2), metadata: api.stored(things)[0]?.metadata ?? {} })
  await run.clock.settle()
  const found = (value: string): (string | undefined)[] => run.informer.byIndex('value', value).map((object) => object.metadata?.name)
  assert.deepEqual([found('1'), found('2'), found('3')], [['b'], ['a'], []])
  const [before, ofOthers] = [run.informer.byIndex('value', '1'), run.informer.byIndex('value', '2')]
  await api.create(things, thing('c', 1))
  await run.clock.settle()
  assert.deepEqual([before.length, found('1')], [1, ['b', 'c']], 'what was given out stays as it was')
  assert.equal(run.informer.byIndex('value', '2'), ofOthers, 'what has not changed is the very same')
  assert.throws(() => run.informer.byIndex('none', ''), RangeError)
})

/** Faults of a server and its network. */
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('put' as const), name: fc.integer({ min: 0, max: 5 }), label: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('delete' as const), name: fc.integer({ min: 0, max: 5 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('break', 'end', 'compact', 'restart', 'bookmark' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('replay' as const), count: fc.integer({ min: 1, max: 6 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('down' as const), requests: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(0, 10, 500, 20_000) }) },
)

for (const selection of [{}, { labelSelector: 'app=x' }]) {
  test(`createInformer() ends with the server's state after any events ${JSON.stringify(selection)}`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const api = new FakeApi()
        await using run = start(api, selection)
        for (const [value, one] of steps.entries()) await perform(api, run.clock, one, value)
        await run.clock.advance(120_000)
        const wanted = api
          .stored(things)
          .filter((object) => selection.labelSelector === undefined || object.metadata?.labels?.['app'] === 'x')
        assert.deepEqual(byName(run.informer.list()), byName(wanted))
        checkHistory(run.events)
      }),
      { numRuns: 150 },
    )
  })
}

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

async function perform(api: FakeApi, clock: { advance(ms: number): Promise<void> }, one: Step, value: number): Promise<void> {
  switch (one.kind) {
    case 'put': {
      const old = api.stored(things).find((object) => object.metadata?.name === `t${one.name}`)
      const labels = one.label ? { app: 'x' } : { app: 'y' }
      if (old === undefined) await api.create(things, thing(`t${one.name}`, value, labels))
      else await api.update(things, { ...old, metadata: { ...old.metadata, labels }, value } as Thing)
      return
    }
    case 'delete':
      await api.delete(things, { namespace: 'ns', name: `t${one.name}` }).catch(() => {})
      return
    case 'break':
      return api.breakWatches()
    case 'end':
      return api.endWatches()
    case 'compact':
      return api.compact()
    case 'restart':
      return api.restart()
    case 'bookmark':
      return api.bookmark()
    case 'replay':
      return api.replay(one.count)
    case 'down': {
      let left = one.requests
      api.before = async (verb) => {
        if ((verb === 'list' || verb === 'watch') && left-- > 0) throw new Error('down')
      }
      return api.breakWatches()
    }
    case 'wait':
      return clock.advance(one.ms)
  }
}

function byName(objects: readonly KubeObject[]): KubeObject[] {
  return objects.toSorted((a, b) => (a.metadata?.name ?? '').localeCompare(b.metadata?.name ?? ''))
}

/** Per name: added, updated to ever newer versions, deleted, added … */
function checkHistory(events: readonly CacheEvent<Thing>[]): void {
  const current = new Map<string, Thing>()
  for (const event of events) {
    const name = event.object.metadata?.name ?? ''
    const old = current.get(name)
    assert.equal(event.type === 'added', old === undefined, `${event.type} of ${name} fits what was before`)
    if (event.type === 'updated') {
      assert.equal(event.old, old)
      assert.equal(event.object.metadata?.uid, old?.metadata?.uid)
      assert.ok(Number(event.object.metadata?.resourceVersion) > Number(old?.metadata?.resourceVersion))
    }
    if (event.type === 'deleted') current.delete(name)
    else current.set(name, event.object)
  }
}
