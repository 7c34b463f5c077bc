import assert from 'node:assert/strict'
import { test } from 'node:test'

import { isNotFound, StatusError } from '#apimachinery/errors.ts'
import type { Patch } from '#client/client.ts'
import { type Loose, startTestServer, type TestServer } from '../verbs.fixture.ts'

const widget = (name: string, spec: object = { color: 'red' }, metadata: object = {}): Loose => ({
  metadata: { name, namespace: 'default', ...metadata },
  spec,
})

const mutation = { dryRun: false, fieldValidation: 'Strict' } as const

async function patched(server: TestServer, plural: string, name: string, change: Patch, subresource = ''): Promise<Loose> {
  const { entry } = await server.verbs.patch(server.target(plural, name, subresource), change, mutation, server.context)
  return entry.object as Loose
}

test('update() replaces the object and keeps fields that only the server sets', async () => {
  await using server = await startTestServer()
  const made = await server.create('widgets', widget('a'))
  server.time.pass(5000)
  const next = await server.update('widgets', {
    ...made,
    metadata: { ...made.metadata, creationTimestamp: '2001-01-01T00:00:00Z', generation: 40, labels: { a: 'b' } },
    spec: { color: 'blue' },
    status: { phase: 'Ready' },
  })
  assert.deepEqual(next.spec, { color: 'blue', size: 3 })
  assert.equal(next.metadata?.creationTimestamp, made.metadata?.creationTimestamp)
  assert.equal(next.metadata?.uid, made.metadata?.uid)
  assert.equal(next.metadata?.generation, 2)
  assert.deepEqual(next.metadata?.labels, { a: 'b' })
  assert.equal(next.status, undefined)
  assert.notEqual(next.metadata?.resourceVersion, made.metadata?.resourceVersion)
})

test('update() without a change keeps the version and emits no event', async () => {
  await using server = await startTestServer()
  const made = await server.create('widgets', widget('a'))
  let changes = 0
  using _watch = server.store.subscribe('example.com/widgets', undefined, () => (changes += 1))
  assert.deepEqual(await server.update('widgets', { ...made, spec: { size: 3, color: 'red' } }), made)
  assert.deepEqual(await patched(server, 'widgets', 'a', { type: 'merge', body: { metadata: { labels: {} } } }), made)
  assert.equal(changes, 0)
})

test('update() of metadata or status does not increment generation', async () => {
  await using server = await startTestServer()
  await server.create('widgets', widget('a'))
  const labelled = await patched(server, 'widgets', 'a', { type: 'merge', body: { metadata: { labels: { x: 'y' } } } })
  assert.equal(labelled.metadata?.generation, 1)
  const ready = await patched(server, 'widgets', 'a', { type: 'merge', body: { status: { phase: 'Ready' } } }, 'status')
  assert.equal(ready.metadata?.generation, 1)
  assert.deepEqual(ready.status, { phase: 'Ready' })
})

test('update() and the status subresource write disjoint parts', async () => {
  await using server = await startTestServer()
  const made = await server.create('widgets', widget('a'))
  const change = { metadata: { labels: { no: 'no' } }, spec: { color: 'green' }, status: { phase: 'Ready' } }
  const viaStatus = await patched(server, 'widgets', 'a', { type: 'merge', body: change }, 'status')
  assert.deepEqual(viaStatus.spec, made.spec)
  assert.equal(viaStatus.metadata?.labels, undefined)
  assert.deepEqual(viaStatus.status, { phase: 'Ready' })
  const viaMain = await patched(server, 'widgets', 'a', { type: 'merge', body: { spec: { color: 'green' }, status: { phase: 'Lost' } } })
  assert.deepEqual(viaMain.status, { phase: 'Ready' })
  assert.deepEqual(viaMain.spec, { color: 'green', size: 3 })
})

test('update() writes status where it is not a subresource, and increments generation', async () => {
  await using server = await startTestServer()
  await server.create('gadgets', widget('a'))
  const next = await patched(server, 'gadgets', 'a', {
    type: 'merge',
    body: { status: { phase: 'Ready' }, metadata: { labels: { node: 'n' } } },
  })
  assert.deepEqual([next.status, next.metadata?.labels, next.metadata?.generation], [{ phase: 'Ready' }, { node: 'n' }, 2])
  await assert.rejects(patched(server, 'gadgets', 'a', { type: 'merge', body: {} }, 'status'), { code: 405 })
})

interface Refusal {
  readonly name: string
  readonly change: (made: Loose) => Loose
  readonly code: number
  readonly reason: string
  readonly message?: string
}

const refusals: readonly Refusal[] = [
  {
    name: 'an old version',
    change: (made) => ({ ...made, metadata: { ...made.metadata, resourceVersion: '1' } }),
    code: 409,
    reason: 'Conflict',
    message:
      'Operation cannot be fulfilled on widgets.example.com "a": the object has been modified; please apply your changes to the latest version and try again',
  },
  {
    name: 'no version, of a custom kind',
    change: () => widget('a', { color: 'blue' }),
    code: 422,
    reason: 'Invalid',
    message: 'Widget.example.com "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
  },
  {
    name: 'the uid of another',
    change: (made) => ({ ...made, metadata: { ...made.metadata, uid: 'other' } }),
    code: 409,
    reason: 'Conflict',
  },
  { name: 'a wrong value', change: (made) => ({ ...made, spec: { color: 'pink' } }), code: 422, reason: 'Invalid' },
  { name: 'an unknown field', change: (made) => ({ ...made, spec: { colour: 'red' } }), code: 400, reason: 'BadRequest' },
]

for (const { name, change, code, reason, message } of refusals) {
  test(`update() refuses ${name}`, async () => {
    await using server = await startTestServer()
    const made = await server.create('widgets', widget('a'))
    await assert.rejects(server.update('widgets', change(made)), { code, reason, ...(message === undefined ? {} : { message }) })
    assert.deepEqual(await server.get('widgets', 'a'), made)
  })
}

test('update() answers 404 for a missing object', async () => {
  await using server = await startTestServer()
  await assert.rejects(server.update('widgets', widget('a', {}, { resourceVersion: '3' })), isNotFound)
})

test('update() accepts built-in kinds without a version', async () => {
  await using server = await startTestServer()
  await server.create('configmaps', { metadata: { name: 'a', namespace: 'default' }, data: { x: '1' } })
  const next = await server.update('configmaps', { metadata: { name: 'a', namespace: 'default' }, data: { x: '2' } })
  assert.deepEqual(next['data'], { x: '2' })
  assert.equal(next.metadata?.generation, undefined)
})

test('update() conflicts for the second of two writes from the same version', async () => {
  await using server = await startTestServer()
  const made = await server.create('widgets', widget('a'))
  const results = await Promise.allSettled(['blue', 'green'].map((color) => server.update('widgets', { ...made, spec: { color } })))
  assert.deepEqual(results.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
})

test('patch() applies all concurrent patches', async () => {
  await using server = await startTestServer([
    // Admission that yields to the event loop lets concurrent patches interleave.
    { name: 'slow', validate: () => new Promise<void>((resolve) => setImmediate(resolve)) },
  ])
  await server.create('widgets', widget('a'))
  const keys = ['a', 'b', 'c', 'd', 'e']
  await Promise.all(keys.map((key) => patched(server, 'widgets', 'a', { type: 'merge', body: { metadata: { labels: { [key]: 'yes' } } } })))
  assert.deepEqual(Object.keys((await server.get('widgets', 'a')).metadata?.labels ?? {}).toSorted(), keys)
})

test('patch() with an old resourceVersion conflicts', async () => {
  await using server = await startTestServer()
  await server.create('widgets', widget('a'))
  const change: Patch = { type: 'merge', body: { metadata: { resourceVersion: '1' }, spec: { color: 'blue' } } }
  await assert.rejects(patched(server, 'widgets', 'a', change), { reason: 'Conflict' })
})

const patches: readonly {
  readonly name: string
  readonly plural?: string
  readonly patch: Patch
  readonly code: number
  readonly reason: string
}[] = [
  {
    name: 'a JSON patch whose test fails',
    patch: { type: 'json', operations: [{ op: 'test', path: '/spec/color', value: 'blue' }] },
    code: 422,
    reason: 'Invalid',
  },
  {
    name: 'a JSON patch with a path that leads nowhere',
    patch: { type: 'json', operations: [{ op: 'remove', path: '/spec/none' }] },
    code: 422,
    reason: 'Invalid',
  },
  { name: 'an unknown field', patch: { type: 'merge', body: { spec: { colour: 'red' } } }, code: 422, reason: 'Invalid' },
  { name: 'a new name', patch: { type: 'merge', body: { metadata: { name: 'b' } } }, code: 400, reason: 'BadRequest' },
  { name: 'a strategic merge of a custom kind', patch: { type: 'strategic', body: {} }, code: 415, reason: 'UnsupportedMediaType' },
  { name: 'an apply that says no kind', patch: { type: 'apply', body: {}, fieldManager: 'x' }, code: 400, reason: 'BadRequest' },
]

for (const { name, patch, code, reason } of patches) {
  test(`patch() refuses ${name}`, async () => {
    await using server = await startTestServer()
    await server.create('widgets', widget('a'))
    await assert.rejects(patched(server, 'widgets', 'a', patch), { code, reason })
  })
}

test('patch() of type JSON may test and replace any field, the version included', async () => {
  await using server = await startTestServer()
  const made = await server.create('widgets', widget('a'))
  const next = await patched(server, 'widgets', 'a', {
    type: 'json',
    operations: [
      { op: 'test', path: '/metadata/resourceVersion', value: made.metadata?.resourceVersion },
      { op: 'add', path: '/metadata/finalizers', value: ['example.com/x'] },
      { op: 'replace', path: '/spec/color', value: 'green' },
    ],
  })
  assert.deepEqual([next.spec, next.metadata?.finalizers], [{ color: 'green', size: 3 }, ['example.com/x']])
})

test('patch() of type strategic merge merges lists of built-in kinds by key', async () => {
  await using server = await startTestServer()
  await server.create('pods', {
    metadata: { name: 'a', namespace: 'default' },
    spec: {
      containers: [
        { name: 'one', image: 'x:1' },
        { name: 'two', image: 'y:1' },
      ],
    },
  })
  const next = await patched(server, 'pods', 'a', { type: 'strategic', body: { spec: { containers: [{ name: 'two', image: 'y:2' }] } } })
  const { containers } = next.spec as { containers: { name: string; image: string }[] }
  assert.deepEqual(
    containers.map(({ name, image }) => [name, image]),
    [
      ['one', 'x:1'],
      ['two', 'y:2'],
    ],
  )
})

test('update() tolerates an unchanged invalid field', async () => {
  await using server = await startTestServer()
  const made = await server.create('widgets', widget('a'))
  const { schema } = server.definition('widgets')
  const strict = structuredClone(schema)
  const color = strict.properties?.['spec']?.properties?.['color']
  assert.ok(color !== undefined)
  color.enum = ['blue']
  server.registry.add({ ...server.definition('widgets'), schema: strict })
  const next = await patched(server, 'widgets', 'a', { type: 'merge', body: { metadata: { labels: { x: 'y' } } } })
  assert.equal(next.metadata?.uid, made.metadata?.uid)
  await assert.rejects(patched(server, 'widgets', 'a', { type: 'merge', body: { spec: { color: 'green' } } }), { reason: 'Invalid' })
})

test('update() refuses to change immutable ConfigMaps and Secrets', async () => {
  await using server = await startTestServer()
  await server.create('configmaps', { metadata: { name: 'a', namespace: 'default' }, data: { x: '1' }, immutable: true })
  await assert.rejects(patched(server, 'configmaps', 'a', { type: 'merge', body: { data: { x: '2' } } }), (error: unknown) => {
    assert.ok(error instanceof StatusError)
    assert.deepEqual(
      error.status.details?.causes?.map(({ field }) => field),
      ['data'],
    )
    return true
  })
  await server.create('secrets', { metadata: { name: 's', namespace: 'default' }, stringData: { key: 'text' } })
  const secret = await server.get('secrets', 's')
  assert.deepEqual([secret['data'], secret['stringData'], secret['type']], [{ key: 'dGV4dA==' }, undefined, 'Opaque'])
})

test('update() as a dry run returns the result and stores nothing', async () => {
  await using server = await startTestServer()
  const made = await server.create('widgets', widget('a'))
  const change: Patch = { type: 'merge', body: { spec: { color: 'blue' } } }
  const { entry } = await server.verbs.patch(server.target('widgets', 'a'), change, { ...mutation, dryRun: true }, server.context)
  assert.deepEqual((entry.object as Loose).spec, { color: 'blue', size: 3 })
  assert.equal(entry.object.metadata?.generation, 2)
  assert.deepEqual(await server.get('widgets', 'a'), made)
})
