import assert from 'node:assert/strict'
import { test } from 'node:test'

import { pods } from '#api/core/v1/resources.ts'
import { configMaps, namespaces } from '#api/core/v1/resources.ts'
import { isNotFound } from '#apimachinery/errors.ts'
import type { Client, WatchEvent } from '#client/client.ts'
import { startTestServer, type TestServer } from '../endpoints/verbs.fixture.ts'
import { createInProcessClient } from './in-process-client.ts'

function clientOf(server: TestServer, watchBuffer?: number): Client {
  const user = { username: 'controller', groups: ['system:masters'] }
  return createInProcessClient({ ...server, user, ...(watchBuffer === undefined ? {} : { watchBuffer }) })
}

const configMap = (name: string, data: Record<string, string> = {}) => ({ metadata: { name, namespace: 'default' }, data })
const key = (name: string) => ({ namespace: 'default', name })

test('createInProcessClient() supports all verbs', async () => {
  await using server = await startTestServer()
  const client = clientOf(server)
  const made = await client.create(configMaps, configMap('a', { x: '1' }))
  assert.deepEqual(await client.get(configMaps, key('a')), made)
  const updated = await client.update(configMaps, { ...made, data: { x: '2' } })
  assert.deepEqual(updated.data, { x: '2' })
  const patched = await client.patch(configMaps, key('a'), { type: 'merge', body: { data: { y: '3' } } })
  assert.deepEqual(patched.data, { x: '2', y: '3' })
  const listed = await client.list(configMaps, { namespace: 'default', limit: 5 })
  assert.deepEqual(
    [listed.kind, listed.apiVersion, listed.metadata.resourceVersion],
    ['ConfigMapList', 'v1', String(server.store.revision)],
  )
  assert.deepEqual(listed.items, [patched])
  assert.equal((await client.list(namespaces)).items.length, 2)
  await client.delete(configMaps, key('a'))
  await assert.rejects(client.get(configMaps, key('a')), isNotFound)
})

test('create() copies its argument', async () => {
  await using server = await startTestServer()
  const client = clientOf(server)
  const mine = { ...configMap('a', { x: '1' }), immutable: undefined }
  const made = await client.create(configMaps, mine as never)
  mine.data['x'] = 'changed'
  assert.deepEqual((await client.get(configMaps, key('a'))).data, { x: '1' })
  assert.equal(Object.hasOwn(made, 'immutable'), false)
})

test('subresources are addressed by the name of the object', async () => {
  await using server = await startTestServer()
  const client = clientOf(server)
  await client.create(pods, { metadata: { name: 'a', namespace: 'default' }, spec: { containers: [{ name: 'c', image: 'x' }] } })
  const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'a', namespace: 'default' }, target: { kind: 'Node', name: 'n' } }
  await client.create(pods, binding, { subresource: 'binding' })
  const patched = await client.patch(pods, key('a'), { type: 'merge', body: { status: { phase: 'Running' } } }, { subresource: 'status' })
  assert.deepEqual([patched.spec.nodeName, patched.status?.phase], ['n', 'Running'])
})

async function read<T>(events: AsyncIterable<WatchEvent<T>>, count: number): Promise<WatchEvent<T>[]> {
  const seen: WatchEvent<T>[] = []
  for await (const event of events) {
    seen.push(event)
    if (seen.length === count) break
  }
  return seen
}

test('watch() yields state and changes until the loop ends', async () => {
  await using server = await startTestServer()
  const client = clientOf(server)
  await client.create(configMaps, configMap('a'))
  const armed = server.time.armed
  const options = {
    namespace: 'default',
    sendInitialEvents: true,
    resourceVersionMatch: 'NotOlderThan',
    allowWatchBookmarks: true,
  } as const
  const reading = read(client.watch(configMaps, { ...options, signal: new AbortController().signal }), 3)
  await client.create(configMaps, configMap('b'))
  const events = await reading
  assert.deepEqual(
    events.map(({ type, object }) => `${type} ${object.metadata?.name ?? object.metadata?.annotations?.['k8s.io/initial-events-end']}`),
    ['ADDED a', 'BOOKMARK true', 'ADDED b'],
  )
  assert.equal(server.time.armed, armed, 'the watch is gone')
})

test('watch() ends by its signal without an error, and throws refusals', async () => {
  await using server = await startTestServer()
  const client = clientOf(server)
  const stop = new AbortController()
  const reading = read(client.watch(configMaps, { signal: stop.signal }), 10)
  await client.create(configMaps, configMap('a'))
  setImmediate(() => stop.abort())
  assert.equal((await reading).length, 1)
  assert.deepEqual(await read(client.watch(configMaps, { signal: stop.signal }), 1), [])
  const { signal } = new AbortController()
  await assert.rejects(read(client.watch(configMaps, { labelSelector: 'a in b', signal }), 1), { code: 400 })
  await assert.rejects(read(client.watch({ ...configMaps, plural: 'none' }, { signal }), 1), isNotFound)
})

test('watch() ends for a slow reader, which can resume without loss', async () => {
  await using server = await startTestServer()
  const client = clientOf(server, 4)
  const { signal } = new AbortController()
  const slow = client.watch(configMaps, { signal, resourceVersion: String(server.store.revision) })[Symbol.asyncIterator]()
  const first = slow.next()
  for (let index = 0; index < 12; index++) await client.create(configMaps, configMap(`c${String(index).padStart(2, '0')}`))
  const names: string[] = []
  let last = ''
  const note = (event: WatchEvent<{ metadata?: { name?: string; resourceVersion?: string } }>): void => {
    names.push(event.object.metadata?.name ?? '')
    last = event.object.metadata?.resourceVersion ?? ''
  }
  for (let next = await first; next.done !== true; next = await slow.next()) note(next.value)
  assert.ok(names.length < 12, 'it was cut off')
  while (names.length < 12) for (const event of await read(client.watch(configMaps, { signal, resourceVersion: last }), 1)) note(event)
  assert.deepEqual(
    names,
    Array.from({ length: 12 }, (_, index) => `c${String(index).padStart(2, '0')}`),
  )
})
