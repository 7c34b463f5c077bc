import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { WatchOutput, WatchQuery } from '#apiserver/request/api-request.ts'
import { shortHistory, type Loose, noWatchQuery, startTestServer, type TestServer } from '../verbs.fixture.ts'

const widget = (name: string, color = 'red', namespace = 'default'): Loose => ({
  metadata: { name, namespace, labels: { color } },
  spec: { color },
})

interface Watching {
  readonly events: string[]
  readonly outputs: WatchOutput[]
  readonly ended: Promise<void>
  stop(): Promise<void>
}

function show(output: WatchOutput): string {
  if (output.type === 'BOOKMARK') return output.initialEventsEnd ? 'END' : 'BOOKMARK'
  const { object } = output.entry
  return `${output.type} ${object.metadata?.name} ${(object as Loose & { spec: { color: string } }).spec.color}`
}

function watch(server: TestServer, query: Partial<WatchQuery> = {}, target = server.target('widgets')): Watching {
  const stop = new AbortController()
  const outputs: WatchOutput[] = []
  const events: string[] = []
  const emit = (output: WatchOutput): void => {
    outputs.push(output)
    events.push(show(output))
  }
  const ended = server.verbs.watch(target, { ...noWatchQuery, ...query }, emit, { ...server.context, signal: stop.signal })
  return {
    events,
    outputs,
    ended,
    stop: () => {
      stop.abort()
      return ended
    },
  }
}

async function recolor(server: TestServer, name: string, color: string): Promise<void> {
  const change = { type: 'merge', body: { metadata: { labels: { color } }, spec: { color } } } as const
  await server.verbs.patch(server.target('widgets', name), change, { dryRun: false, fieldValidation: 'Strict' }, server.context)
}

async function remove(server: TestServer, name: string): Promise<void> {
  await server.verbs.delete(server.target('widgets', name), { dryRun: false }, server.context)
}

test('watch() without a version sends the state, then every change', async () => {
  await using server = await startTestServer()
  await server.create('widgets', widget('a'))
  await server.create('widgets', widget('far', 'red', 'other'))
  const watching = watch(server)
  await server.create('widgets', widget('b'))
  await recolor(server, 'a', 'blue')
  await server.create('widgets', widget('farther', 'red', 'other'))
  await remove(server, 'b')
  assert.deepEqual(watching.events, ['ADDED a red', 'ADDED b red', 'MODIFIED a blue', 'DELETED b red'])
  await watching.stop()
})

test('watch() from a version replays exactly the later changes', async () => {
  await using server = await startTestServer()
  await server.create('widgets', widget('a'))
  const from = String(server.store.revision)
  await server.create('widgets', widget('b'))
  await remove(server, 'b')
  const watching = watch(server, { resourceVersion: from })
  await recolor(server, 'a', 'green')
  assert.deepEqual(watching.events, ['ADDED b red', 'DELETED b red', 'MODIFIED a green'])
  const [, deleted] = watching.outputs
  assert.ok(deleted?.type === 'DELETED')
  assert.equal(deleted.entry.object.metadata?.resourceVersion, String(deleted.entry.revision))
  await watching.stop()
  const resumed = watch(server, { resourceVersion: String(deleted.entry.revision) })
  assert.deepEqual(resumed.events, ['MODIFIED a green'])
  await resumed.stop()
})

test('watch() sends ADDED and DELETED when an object starts and stops matching', async () => {
  await using server = await startTestServer()
  await server.create('widgets', widget('a', 'blue'))
  for (const [size, query] of [{ labelSelector: 'color=red' }, { fieldSelector: 'spec.color=red' }].entries()) {
    const watching = watch(server, query)
    await recolor(server, 'a', 'red')
    await server.update('widgets', { ...(await server.get('widgets', 'a')), spec: { color: 'red', size } })
    await recolor(server, 'a', 'blue')
    const revision = server.store.revision
    await recolor(server, 'a', 'green')
    assert.deepEqual(watching.events, ['ADDED a red', 'MODIFIED a red', 'DELETED a red'])
    const last = watching.outputs.at(-1)
    assert.ok(last?.type === 'DELETED')
    assert.deepEqual([last.entry.revision, last.entry.object.metadata?.resourceVersion], [revision, String(revision)])
    assert.equal(JSON.parse(last.entry.json.toString()).metadata.resourceVersion, String(revision))
    await watching.stop()
    await recolor(server, 'a', 'blue')
  }
})

test('watch() of one name sends events of that name only', async () => {
  await using server = await startTestServer()
  await server.create('widgets', widget('a'))
  await server.create('widgets', widget('b'))
  const byPath = watch(server, {}, server.target('widgets', 'b'))
  const bySelector = watch(server, { fieldSelector: 'metadata.name=b' })
  await recolor(server, 'a', 'blue')
  await recolor(server, 'b', 'blue')
  assert.deepEqual(byPath.events, ['ADDED b red', 'MODIFIED b blue'])
  assert.deepEqual(bySelector.events, byPath.events)
  await Promise.all([byPath.stop(), bySelector.stop()])
  await assert.rejects(watch(server, { fieldSelector: 'metadata.name=a' }, server.target('widgets', 'b')).ended, { code: 400 })
})

test('watch() evaluates a selector once for all watches that share it', async () => {
  await using server = await startTestServer()
  await server.create('widgets', widget('a', 'blue'))
  const definition = server.definition('widgets')
  let reads = 0
  const read = definition.selectableFields.get('spec.color') ?? assert.fail()
  const counting = new Map(definition.selectableFields).set('spec.color', (object) => {
    reads += 1
    return read(object)
  })
  const target = { ...server.target('widgets'), definition: { ...definition, selectableFields: counting } }
  const watches = Array.from({ length: 10 }, () => watch(server, { fieldSelector: 'spec.color=red' }, target))
  reads = 0
  await recolor(server, 'a', 'green')
  assert.ok(reads <= 2, `looked ${reads} times`)
  await recolor(server, 'a', 'red')
  for (const { events } of watches) assert.deepEqual(events, ['ADDED a red'])
  await Promise.all(watches.map((each) => each.stop()))
})

test('watch() with sendInitialEvents marks the end of the initial state', async () => {
  await using server = await startTestServer()
  await server.create('widgets', widget('a'))
  const revision = server.store.revision
  const watching = watch(server, { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true })
  await server.create('widgets', widget('b'))
  assert.deepEqual(watching.events, ['ADDED a red', 'END', 'ADDED b red'])
  const [, end] = watching.outputs
  assert.ok(end?.type === 'BOOKMARK')
  assert.equal(end.revision, revision)
  await watching.stop()
  const live = watch(server, { sendInitialEvents: false, resourceVersionMatch: 'NotOlderThan' })
  await server.create('widgets', widget('c'))
  assert.deepEqual(live.events, ['ADDED c red'])
  await live.stop()
})

test('watch() refuses contradictory options', async () => {
  await using server = await startTestServer()
  await assert.rejects(watch(server, { sendInitialEvents: true }).ended, { code: 422 })
  await assert.rejects(watch(server, { resourceVersionMatch: 'NotOlderThan', resourceVersion: '1' }).ended, { code: 422 })
  await assert.rejects(watch(server, { resourceVersion: 'x' }).ended, { code: 400 })
})

test('watch() answers 410 to a compacted version', async () => {
  await using server = await startTestServer([], shortHistory)
  await server.create('widgets', widget('a'))
  const from = String(server.store.revision)
  for (const color of ['blue', 'green', 'red', 'blue']) {
    server.time.pass(60_000)
    await recolor(server, 'a', color)
  }
  await assert.rejects(watch(server, { resourceVersion: from }).ended, { code: 410, reason: 'Expired' })
})

test('watch() waits for a version from the future, and times out for sendInitialEvents', async () => {
  await using server = await startTestServer()
  const future = server.store.revision + 2
  const watching = watch(server, { resourceVersion: String(future) })
  for (const name of ['a', 'b', 'c']) await server.create('widgets', widget(name))
  assert.deepEqual(watching.events, ['ADDED c red'])
  await watching.stop()

  const wanted = server.store.revision + 1
  const waiting = watch(server, { resourceVersion: String(wanted), sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' })
  await server.create('widgets', widget('d'))
  server.time.pass(50)
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(waiting.events, ['ADDED a red', 'ADDED b red', 'ADDED c red', 'ADDED d red'])
  await waiting.stop()

  const vain = watch(server, { resourceVersion: '99999999', sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' })
  const refused = assert.rejects(vain.ended, { code: 504 })
  for (let round = 0; round < 200; round++) {
    server.time.pass(20)
    await Promise.resolve()
  }
  await refused
})

test('watch() sends bookmarks every minute and before its end, where asked to', async () => {
  await using server = await startTestServer()
  const watching = watch(server, { allowWatchBookmarks: true, timeoutSeconds: 90 })
  const silent = watch(server, { timeoutSeconds: 90 })
  server.time.pass(59_000)
  assert.deepEqual(watching.events, [])
  await server.create('configmaps', { metadata: { name: 'elsewhere', namespace: 'default' } })
  server.time.pass(2000)
  const [bookmark] = watching.outputs
  assert.ok(bookmark?.type === 'BOOKMARK')
  assert.equal(bookmark.revision, server.store.revision)
  server.time.pass(40_000)
  await Promise.all([watching.ended, silent.ended])
  assert.deepEqual(watching.events, ['BOOKMARK', 'BOOKMARK'])
  assert.deepEqual(silent.events, [])
})

test('watch() leaves no timer behind', async () => {
  await using server = await startTestServer()
  const before = server.time.armed
  const watching = watch(server)
  assert.equal(server.time.armed, before + 1)
  await watching.stop()
  assert.equal(server.time.armed, before)
})
