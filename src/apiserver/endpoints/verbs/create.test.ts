import assert from 'node:assert/strict'
import { test } from 'node:test'

import { StatusError } from '#apimachinery/errors.ts'
import { type Loose, startTestServer } from '../verbs.fixture.ts'

const widget = (name: string, spec: object = { color: 'red' }): Loose => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name, namespace: 'default' },
  spec,
})

test('create() sets uid, creationTimestamp, generation and defaults', async () => {
  await using server = await startTestServer()
  const made = await server.create('widgets', widget('a'))
  assert.match(made.metadata?.uid ?? '', /^[0-9a-f-]{36}$/)
  assert.equal(made.metadata?.creationTimestamp, '2026-11-21T10:00:00Z')
  assert.equal(made.metadata?.generation, 1)
  assert.equal(made.metadata?.resourceVersion, String(server.store.revision))
  assert.deepEqual(made.spec, { color: 'red', size: 3 })
  assert.deepEqual(await server.get('widgets', 'a'), made)
})

test('create() drops fields that only the server sets, and status where it is a subresource', async () => {
  await using server = await startTestServer()
  const made = await server.create('widgets', {
    ...widget('a'),
    metadata: {
      name: 'a',
      namespace: 'default',
      uid: 'mine',
      generation: 7,
      creationTimestamp: '2001-01-01T00:00:00Z',
      deletionTimestamp: '2001-01-01T00:00:00Z',
      managedFields: [{ manager: 'me' }],
      labels: {},
    },
    status: { phase: 'Ready' },
  })
  assert.notEqual(made.metadata?.uid, 'mine')
  assert.deepEqual(Object.keys(made.metadata ?? {}).toSorted(), [
    'creationTimestamp',
    'generation',
    'managedFields',
    'name',
    'namespace',
    'resourceVersion',
    'uid',
  ])
  assert.deepEqual(
    made.metadata?.managedFields?.map(({ manager }) => manager),
    ['test'],
  )
  assert.equal(Object.hasOwn(made, 'status'), false)
})

interface Refusal {
  readonly name: string
  readonly plural?: string
  readonly object: Loose
  readonly code: number
  readonly reason: string
  readonly field?: string
  /** Checked only where clients or users depend on the text. */
  readonly message?: string
}

const refusals: readonly Refusal[] = [
  {
    name: 'a resource version',
    object: { ...widget('a'), metadata: { name: 'a', namespace: 'default', resourceVersion: '5' } },
    code: 500,
    reason: '',
    message: 'resourceVersion should not be set on objects to be created',
  },
  {
    name: 'an unknown field',
    object: widget('a', { color: 'red', foo: 1 }),
    code: 400,
    reason: 'BadRequest',
    message: 'Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "spec.foo"',
  },
  {
    name: 'an unknown field of the metadata',
    object: { ...widget('a'), metadata: { name: 'a', namespace: 'default', nick: 'b' } } as Loose,
    code: 400,
    reason: 'BadRequest',
    message: 'Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "metadata.nick"',
  },
  {
    name: 'labels of the wrong type',
    object: { ...widget('a'), metadata: { name: 'a', namespace: 'default', labels: { a: 1 } } } as unknown as Loose,
    code: 400,
    reason: 'BadRequest',
  },
  { name: 'another kind', object: { ...widget('a'), kind: 'Gizmo' }, code: 422, reason: 'Invalid', field: 'kind' },
  {
    name: 'no kind',
    object: { ...widget('a'), kind: '' },
    code: 400,
    reason: 'BadRequest',
    message:
      `the object provided is unrecognized (must be of type Widget): Object 'Kind' is missing in ` +
      `'{"apiVersion":"example.com/v1","kind":"","metadata":{"name":"a","namespace":"default"},"spec":{"color":"red"}}' ` +
      `({"apiVersion":"example.com/v1" ...)`,
  },
  {
    name: 'a kind that is a number',
    object: { ...widget('a'), kind: 5 } as unknown as Loose,
    code: 400,
    reason: 'BadRequest',
    message:
      `the object provided is unrecognized (must be of type Widget): couldn't get version/kind; json parse error: ` +
      `json: cannot unmarshal number into Go struct field .kind of type string ({"apiVersion":"example.com/v1" ...)`,
  },
  {
    name: 'no version',
    object: { ...widget('a'), apiVersion: '' },
    code: 400,
    reason: 'BadRequest',
    message: 'the API version in the data () does not match the expected API version (example.com/v1)',
  },
  { name: 'another version', object: { ...widget('a'), apiVersion: 'example.com/v2' }, code: 400, reason: 'BadRequest' },
  { name: 'no name', object: { ...widget('a'), metadata: { namespace: 'default' } }, code: 422, reason: 'Invalid', field: 'metadata.name' },
  { name: 'a bad name', object: widget('A_b'), code: 422, reason: 'Invalid', field: 'metadata.name' },
  {
    name: 'a value outside of the enumeration',
    object: widget('a', { color: 'pink' }),
    code: 422,
    reason: 'Invalid',
    field: 'spec.color',
    message: 'Widget.example.com "a" is invalid: spec.color: Unsupported value: "pink": supported values: "red", "green", "blue"',
  },
  { name: 'a value of the wrong type', object: widget('a', { size: 'big' }), code: 422, reason: 'Invalid', field: 'spec.size' },
  {
    name: 'a missing namespace, before all else',
    object: { ...widget('a', { color: 'pink' }), metadata: { name: 'a', namespace: 'nowhere' } },
    code: 404,
    reason: 'NotFound',
    message: 'namespaces "nowhere" not found',
  },
]

for (const { name, plural = 'widgets', object, code, reason, field, message } of refusals) {
  test(`create() refuses ${name}`, async () => {
    await using server = await startTestServer()
    await assert.rejects(server.create(plural, object), (error: unknown) => {
      assert.ok(error instanceof StatusError)
      assert.deepEqual([error.code, error.reason], [code, reason], error.message)
      if (field !== undefined)
        assert.ok(
          error.status.details?.causes?.some((cause) => cause.field === field),
          error.message,
        )
      if (message !== undefined) assert.equal(error.message, message)
      return true
    })
  })
}

test('create() warns about unknown and duplicate fields, or ignores them, by fieldValidation', async () => {
  await using server = await startTestServer()
  const object = widget('a', { foo: 1 })
  const made = await server.create('widgets', object, { fieldValidation: 'Warn' })
  assert.deepEqual(server.warnings, ['unknown field "spec.foo"'])
  assert.deepEqual(made.spec, { size: 3 })
  await server.create('widgets', widget('b', { foo: 1 }), { fieldValidation: 'Ignore' })
  assert.equal(server.warnings.length, 1)
  const repeated = server.verbs.create(
    server.target('widgets'),
    { object: widget('c', { foo: 1 }), duplicates: ['spec.color'] },
    { dryRun: false, fieldValidation: 'Strict' },
    server.context,
  )
  await assert.rejects(repeated, {
    message:
      'Widget in version "v1" cannot be handled as a Widget: strict decoding error: duplicate field "spec.color", unknown field "spec.foo"',
  })
})

test('create() generates names', async () => {
  await using server = await startTestServer()
  const object: Loose = { ...widget(''), metadata: { generateName: 'web-', namespace: 'default' } }
  const [first, second] = await Promise.all([server.create('widgets', object), server.create('widgets', object)])
  assert.match(first?.metadata?.name ?? '', /^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/)
  assert.notEqual(first?.metadata?.name, second?.metadata?.name)
  assert.equal(first?.metadata?.generateName, 'web-')
})

test('create() refuses an existing name, and reports when the existing object is being deleted', async () => {
  await using server = await startTestServer()
  const held: Loose = { ...widget('a'), metadata: { name: 'a', namespace: 'default', finalizers: ['example.com/hold'] } }
  await server.create('widgets', held)
  await assert.rejects(server.create('widgets', held), { reason: 'AlreadyExists', message: 'widgets.example.com "a" already exists' })
  await server.verbs.delete(server.target('widgets', 'a'), { dryRun: false }, server.context)
  await assert.rejects(server.create('widgets', held), {
    reason: 'AlreadyExists',
    message: 'object is being deleted: widgets.example.com "a" already exists',
  })
})

test('create() succeeds once for two concurrent requests with the same name', async () => {
  await using server = await startTestServer()
  const results = await Promise.allSettled([server.create('widgets', widget('a')), server.create('widgets', widget('a'))])
  assert.deepEqual(results.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
})

test('create() as a dry run does everything except the commit', async () => {
  await using server = await startTestServer()
  const before = server.store.revision
  const made = await server.create('widgets', widget('a'), { dryRun: true })
  assert.notEqual(made.metadata?.uid, undefined)
  assert.equal(made.metadata?.resourceVersion, undefined)
  assert.equal(server.store.revision, before)
  await assert.rejects(server.create('widgets', widget('b', { color: 'pink' }), { dryRun: true }), { reason: 'Invalid' })
})

test('create() shows admission a resource version before it refuses it, and ignores one that is 0', async () => {
  const seen: (string | undefined)[] = []
  await using server = await startTestServer([
    {
      name: 'witness',
      validate: ({ object }) => void seen.push(object?.metadata?.resourceVersion),
    },
  ])
  seen.length = 0
  const versioned = (resourceVersion: string): Loose => ({
    ...widget('a'),
    metadata: { name: 'a', namespace: 'default', resourceVersion },
  })
  await assert.rejects(server.create('widgets', versioned('5')), { code: 500, reason: '' })
  await server.create('widgets', versioned('5'), { dryRun: true })
  const { metadata } = await server.create('widgets', versioned('0'))
  assert.deepEqual(seen, ['5', '5', '0'])
  assert.ok(Number(metadata?.resourceVersion) > 0)
})

test('create() lets admission change an object but not its identity, and defaults and validates the result', async () => {
  await using server = await startTestServer([
    {
      name: 'painter',
      mutate({ object, operation }) {
        if (operation !== 'CREATE' || object?.kind !== 'Widget') return undefined
        const painted: Loose = {
          ...object,
          metadata: { ...object.metadata, uid: 'stolen', labels: { painted: 'yes' } },
          spec: { color: 'blue', junk: true },
        }
        return painted
      },
    },
  ])
  const made = await server.create('widgets', widget('a', { size: 9 }))
  assert.deepEqual(made.spec, { color: 'blue', size: 3 })
  assert.deepEqual(made.metadata?.labels, { painted: 'yes' })
  assert.notEqual(made.metadata?.uid, 'stolen')
})

test('create() refuses a terminating namespace', async () => {
  await using server = await startTestServer()
  await server.verbs.delete(server.target('namespaces', 'other'), { dryRun: false }, server.context)
  await assert.rejects(server.create('widgets', { ...widget('a'), metadata: { name: 'a', namespace: 'other' } }), (error: unknown) => {
    assert.ok(error instanceof StatusError)
    assert.equal(error.code, 403)
    assert.equal(error.status.details?.causes?.[0]?.reason, 'NamespaceTerminating')
    return true
  })
})
