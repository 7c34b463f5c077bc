import assert from 'node:assert/strict'
import { test } from 'node:test'

import { isNotFound } from '#apimachinery/errors.ts'
import type { DeleteQuery, DeleteResult } from '#apiserver/request/api-request.ts'
import { type Loose, noListQuery, startTestServer, type TestServer } from '../verbs.fixture.ts'

const widget = (name: string, metadata: object = {}): Loose => ({
  metadata: { name, namespace: 'default', ...metadata },
  spec: { color: 'red' },
})

function remove(server: TestServer, plural: string, name: string, query: Partial<DeleteQuery> = {}): Promise<DeleteResult> {
  return server.verbs.delete(server.target(plural, name), { dryRun: false, ...query }, server.context)
}

test('delete() removes an object without finalizers at once', async () => {
  await using server = await startTestServer()
  const made = await server.create('widgets', widget('a'))
  const result = await remove(server, 'widgets', 'a')
  assert.equal(result.kind, 'deleted')
  assert.equal(result.entry.object.metadata?.uid, made.metadata?.uid)
  await assert.rejects(server.get('widgets', 'a'), isNotFound)
  await assert.rejects(remove(server, 'widgets', 'a'), isNotFound)
})

test('delete() keeps an object until its finalizer is removed', async () => {
  await using server = await startTestServer()
  await server.create('widgets', widget('a', { finalizers: ['example.com/one', 'example.com/two'] }))
  const result = await remove(server, 'widgets', 'a')
  assert.equal(result.kind, 'pending')
  const { metadata } = result.entry.object
  assert.deepEqual(
    [metadata?.deletionTimestamp, metadata?.deletionGracePeriodSeconds, metadata?.generation],
    ['2026-11-21T10:00:00Z', 0, 2],
  )

  server.time.pass(60_000)
  const again = await remove(server, 'widgets', 'a')
  assert.equal(again.entry.object.metadata?.resourceVersion, metadata?.resourceVersion, 'a second delete changes nothing')

  const deleting = await server.get('widgets', 'a')
  const more = { ...deleting, metadata: { ...deleting.metadata, finalizers: ['example.com/one', 'example.com/three'] } }
  await assert.rejects(server.update('widgets', more), { reason: 'Invalid' })

  const one = await server.update('widgets', {
    ...deleting,
    metadata: { ...deleting.metadata, finalizers: ['example.com/one'], deletionTimestamp: '2001-01-01T00:00:00Z' },
  })
  assert.equal(one.metadata?.deletionTimestamp, metadata?.deletionTimestamp)
  const last = await server.update('widgets', { ...one, metadata: { ...one.metadata, finalizers: [] } })
  assert.equal(last.metadata?.finalizers, undefined)
  await assert.rejects(server.get('widgets', 'a'), isNotFound)
})

const policies: readonly {
  readonly name: string
  readonly before?: string[]
  readonly policy?: NonNullable<DeleteQuery['propagationPolicy']>
  readonly after: string[] | undefined
}[] = [
  { name: 'no policy', after: undefined },
  { name: 'Background', policy: 'Background', after: undefined },
  { name: 'Orphan', policy: 'Orphan', after: ['orphan'] },
  { name: 'Foreground', policy: 'Foreground', after: ['foregroundDeletion'] },
  {
    name: 'Foreground over orphan',
    before: ['orphan', 'example.com/x'],
    policy: 'Foreground',
    after: ['example.com/x', 'foregroundDeletion'],
  },
  { name: 'Background over orphan', before: ['orphan'], policy: 'Background', after: undefined },
  { name: 'no policy over orphan', before: ['orphan'], after: ['orphan'] },
]

for (const { name, before, policy, after } of policies) {
  test(`delete() with ${name} leaves ${after === undefined ? 'nothing' : after.join(' and ')}`, async () => {
    await using server = await startTestServer()
    await server.create('widgets', widget('a', before === undefined ? {} : { finalizers: before }))
    const result = await remove(server, 'widgets', 'a', policy === undefined ? {} : { propagationPolicy: policy })
    assert.equal(result.kind, after === undefined ? 'deleted' : 'pending')
    if (after !== undefined) assert.deepEqual((await server.get('widgets', 'a')).metadata?.finalizers, after)
  })
}

for (const plural of ['replicationcontrollers', 'jobs']) {
  test(`delete() of ${plural} orphans their pods by default`, async () => {
    await using server = await startTestServer()
    const template = {
      metadata: { labels: { a: 'b' } },
      spec: { containers: [{ name: 'c', image: 'x' }], ...(plural === 'jobs' ? { restartPolicy: 'Never' } : {}) },
    }
    const make = (name: string, metadata: object = {}): Promise<Loose> =>
      server.create(plural, { metadata: { name, namespace: 'default', ...metadata }, spec: { template } })
    await make('a')
    const { entry, kind } = await remove(server, plural, 'a')
    assert.deepEqual([kind, entry.object.metadata?.finalizers], ['pending', ['orphan']])
    await make('b')
    assert.equal((await remove(server, plural, 'b', { propagationPolicy: 'Background' })).kind, 'deleted')
    await make('c', { finalizers: ['foregroundDeletion'] })
    assert.deepEqual((await remove(server, plural, 'c')).entry.object.metadata?.finalizers, ['foregroundDeletion'])
  })
}

test('delete() checks preconditions', async () => {
  await using server = await startTestServer()
  const made = await server.create('widgets', widget('a'))
  await assert.rejects(remove(server, 'widgets', 'a', { preconditions: { uid: 'other' } }), { reason: 'Conflict' })
  await assert.rejects(remove(server, 'widgets', 'a', { preconditions: { resourceVersion: '1' } }), { reason: 'Conflict' })
  const { uid = '', resourceVersion = '' } = made.metadata ?? {}
  await remove(server, 'widgets', 'a', { preconditions: { uid, resourceVersion } })
})

test('delete() as a dry run deletes nothing', async () => {
  await using server = await startTestServer()
  await server.create('widgets', widget('a'))
  assert.equal((await remove(server, 'widgets', 'a', { dryRun: true })).kind, 'deleted')
  assert.equal((await remove(server, 'widgets', 'a', { dryRun: true, propagationPolicy: 'Orphan' })).kind, 'pending')
  assert.equal((await server.get('widgets', 'a')).metadata?.deletionTimestamp, undefined)
})

test('delete() ends a running pod gracefully, and later calls only shorten the grace period', async () => {
  await using server = await startTestServer()
  const pod = (name: string, spec: object = {}): Loose => ({
    metadata: { name, namespace: 'default' },
    spec: { containers: [{ name: 'c', image: 'x' }], ...spec },
  })
  await server.create('pods', pod('a', { nodeName: 'n' }))
  const first = await remove(server, 'pods', 'a')
  assert.equal(first.kind, 'pending')
  const { metadata } = first.entry.object
  assert.deepEqual(
    [metadata?.deletionTimestamp, metadata?.deletionGracePeriodSeconds, metadata?.generation],
    ['2026-11-21T10:00:30Z', 30, 2],
  )
  server.time.pass(4000)
  const longer = await remove(server, 'pods', 'a', { gracePeriodSeconds: 90 })
  assert.equal(longer.entry.object.metadata?.deletionGracePeriodSeconds, 30)
  const shorter = await remove(server, 'pods', 'a', { gracePeriodSeconds: 10 })
  assert.deepEqual(
    [shorter.entry.object.metadata?.deletionTimestamp, shorter.entry.object.metadata?.deletionGracePeriodSeconds],
    ['2026-11-21T10:00:10Z', 10],
  )
  assert.equal((await remove(server, 'pods', 'a', { gracePeriodSeconds: 0 })).kind, 'deleted')

  await server.create('pods', pod('unbound'))
  assert.equal((await remove(server, 'pods', 'unbound')).kind, 'deleted')
  const done = await server.create('pods', pod('done', { nodeName: 'n' }))
  await server.update('pods', { ...done, status: { phase: 'Succeeded' } }, 'status')
  assert.equal((await remove(server, 'pods', 'done', { gracePeriodSeconds: 60 })).kind, 'deleted')
})

test('delete() keeps a namespace until its spec.finalizers are empty, and refuses system namespaces', async () => {
  await using server = await startTestServer()
  await assert.rejects(remove(server, 'namespaces', 'default'), {
    reason: 'Forbidden',
    message: 'namespaces "default" is forbidden: this namespace may not be deleted',
  })
  const result = await remove(server, 'namespaces', 'other')
  assert.equal(result.kind, 'pending')
  const ending = await server.get('namespaces', 'other')
  assert.deepEqual([ending.status, ending.spec], [{ phase: 'Terminating' }, { finalizers: ['kubernetes'] }])
  // Only the finalize subresource can change spec.finalizers.
  await server.update('namespaces', { ...ending, spec: { finalizers: [] } })
  assert.deepEqual((await server.get('namespaces', 'other')).spec, { finalizers: ['kubernetes'] })
  await server.update('namespaces', { ...ending, spec: { finalizers: [] } }, 'finalize')
  await assert.rejects(server.get('namespaces', 'other'), isNotFound)
})

test('deleteCollection() deletes the selected objects and returns them', async () => {
  await using server = await startTestServer()
  for (const name of ['a', 'b', 'c']) await server.create('widgets', widget(name, { labels: { odd: name === 'b' ? 'no' : 'yes' } }))
  const found = await server.verbs.deleteCollection(
    server.target('widgets'),
    { ...noListQuery, labelSelector: 'odd=yes' },
    { dryRun: false },
    server.context,
  )
  assert.deepEqual(
    found.entries.map(({ object }) => object.metadata?.name),
    ['a', 'c'],
  )
  assert.deepEqual(
    server.store.list('example.com/widgets').map(({ object }) => object.metadata?.name),
    ['b'],
  )
})
