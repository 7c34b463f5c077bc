import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { StatusError } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { MutationOptions } from '#apiserver/request/api-request.ts'
import { type Loose, startTestServer, type TestServer } from '../verbs.fixture.ts'

const widgetType = { apiVersion: 'example.com/v1', kind: 'Widget' }
const mutation: MutationOptions = { dryRun: false, fieldValidation: 'Strict' }

interface How {
  readonly manager?: string
  readonly force?: boolean
  readonly subresource?: string
  readonly plural?: string
  readonly metadata?: object
  readonly dryRun?: boolean
}

async function applied(server: TestServer, content: object, how: How = {}): Promise<{ object: Loose; created: boolean }> {
  const { manager = 'one', force = false, subresource = '', plural = 'widgets', metadata, dryRun = false } = how
  const body = { ...widgetType, metadata: { name: 'a', namespace: 'default', ...metadata }, ...content } as KubeObject
  const target = server.target(plural, 'a', subresource)
  const { entry, created } = await server.verbs.patch(
    target,
    { type: 'apply', body, fieldManager: manager, force },
    { ...mutation, dryRun },
    server.context,
  )
  return { object: entry.object as Loose, created }
}

/** Managers and their fields, as short text. */
function owners(object: Loose): Record<string, unknown> {
  return Object.fromEntries(
    (object.metadata?.managedFields ?? []).map(({ manager, operation, subresource, fieldsV1 }) => [
      [manager, operation, subresource].filter((part) => part !== undefined).join(' '),
      fieldsV1,
    ]),
  )
}

test('apply creates a missing object, and its manager owns the applied fields', async () => {
  await using server = await startTestServer()
  const { object, created } = await applied(server, { spec: { color: 'red' } })
  assert.equal(created, true)
  assert.deepEqual(object.spec, { color: 'red', size: 3 })
  assert.deepEqual(object.metadata?.managedFields, [
    {
      manager: 'one',
      operation: 'Apply',
      apiVersion: 'example.com/v1',
      time: '2026-11-21T10:00:00Z',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:spec': { 'f:color': {} } },
    },
  ])
})

test('apply of an unchanged configuration keeps resourceVersion and times', async () => {
  await using server = await startTestServer()
  const { object } = await applied(server, { spec: { color: 'red' } })
  server.time.pass(60_000)
  const again = await applied(server, { spec: { color: 'red' } })
  assert.equal(again.created, false)
  assert.deepEqual(again.object, object)
})

test('apply removes a field that is no longer applied, unless another manager owns it', async () => {
  await using server = await startTestServer()
  await applied(server, { spec: { color: 'red', replicas: 2, parts: ['x'] } })
  await applied(server, { spec: { replicas: 2 } }, { manager: 'two' })
  const { object } = await applied(server, { spec: { color: 'red' } })
  assert.deepEqual(object.spec, { color: 'red', size: 3, replicas: 2 })
  assert.deepEqual(owners(object), { 'one Apply': { 'f:spec': { 'f:color': {} } }, 'two Apply': { 'f:spec': { 'f:replicas': {} } } })
})

test('apply conflicts with the owner of a field and names both, and force takes the field over', async () => {
  await using server = await startTestServer()
  await server.create('widgets', { metadata: { name: 'a', namespace: 'default' }, spec: { color: 'red', replicas: 1 } })
  await applied(server, { spec: { color: 'red' } }, { manager: 'one' })
  await assert.rejects(applied(server, { spec: { color: 'blue', replicas: 2 } }, { manager: 'two' }), (error: StatusError) => {
    assert.equal(error.code, 409)
    assert.equal(
      error.message,
      'Apply failed with 3 conflicts: conflicts with "one":\n- .spec.color\nconflicts with "test" using example.com/v1:\n- .spec.color\n- .spec.replicas',
    )
    assert.deepEqual(error.status.details?.causes?.[1], {
      reason: 'FieldManagerConflict',
      message: 'conflict with "test" using example.com/v1',
      field: '.spec.color',
    })
    return true
  })
  const { object } = await applied(server, { spec: { color: 'blue', replicas: 2 } }, { manager: 'two', force: true })
  assert.deepEqual(owners(object), {
    'two Apply': { 'f:spec': { 'f:color': {}, 'f:replicas': {} } },
    'test Update': { 'f:spec': { '.': {}, 'f:size': {} } },
  })
})

test('apply to the status subresource owns status fields', async () => {
  await using server = await startTestServer()
  await applied(server, { spec: { color: 'red' }, status: { phase: 'No' } })
  const { object } = await applied(server, { status: { phase: 'Ready' } }, { subresource: 'status', manager: 'ctl' })
  assert.deepEqual([object.spec, object.status], [{ color: 'red', size: 3 }, { phase: 'Ready' }])
  assert.deepEqual(owners(object), {
    'one Apply': { 'f:spec': { 'f:color': {} } },
    'ctl Apply status': { 'f:status': { 'f:phase': {} } },
  })
})

const refused: readonly { name: string; content: object; how?: How; code: number; message: string }[] = [
  {
    name: 'another version',
    content: { apiVersion: 'example.com/v2' },
    code: 400,
    message: 'invalid object type: example.com/v2, Kind=Widget',
  },
  { name: 'no version that is text', content: { apiVersion: null }, code: 400, message: 'invalid object type: /, Kind=Widget' },
  {
    name: 'a record of owners',
    content: {},
    how: { metadata: { managedFields: [] } },
    code: 400,
    message: 'metadata.managedFields must be nil',
  },
  {
    name: 'no manager',
    content: {},
    how: { manager: '' },
    code: 422,
    message: 'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
  },
  {
    name: 'a field that the schema does not have',
    content: { spec: { colour: 'red' } },
    code: 500,
    message: 'failed to create typed patch object (default/a; example.com/v1, Kind=Widget): .spec.colour: field not declared in schema',
  },
  {
    name: 'a uid of what is not there',
    content: {},
    how: { metadata: { uid: 'u' } },
    code: 409,
    message:
      'Operation cannot be fulfilled on widgets.example.com "a": uid mismatch: the provided object specified uid u, and no existing object was found',
  },
  {
    name: 'another name than the URL',
    content: {},
    how: { metadata: { name: 'b' } },
    code: 400,
    message: 'the name of the object (b) does not match the name on the URL (a)',
  },
  {
    name: 'a status of what is not there',
    content: {},
    how: { subresource: 'status' },
    code: 404,
    message: 'widgets.example.com "a" not found',
  },
]

for (const { name, content, how, code, message } of refused) {
  test(`apply refuses ${name}`, async () => {
    await using server = await startTestServer()
    await assert.rejects(applied(server, content, how), { code, message })
  })
}

test('apply as a dry run stores nothing', async () => {
  await using server = await startTestServer()
  const { object, created } = await applied(server, { spec: { color: 'red' } }, { dryRun: true })
  assert.deepEqual([created, object.metadata?.resourceVersion, object.metadata?.managedFields?.length], [true, undefined, 1])
  await assert.rejects(server.get('widgets', 'a'), { code: 404 })
})

test('apply owns stringData of a secret as data, which can be shared and is removed with its last owner', async () => {
  await using server = await startTestServer()
  const secret = (stringData: object): object => ({ apiVersion: 'v1', kind: 'Secret', stringData })
  await applied(server, secret({ p: 'x', q: 'y' }), { plural: 'secrets' })
  const both = await applied(server, secret({ p: 'x' }), { plural: 'secrets', manager: 'two' })
  assert.deepEqual(owners(both.object), { 'one Apply': { 'f:data': { 'f:p': {}, 'f:q': {} } }, 'two Apply': { 'f:data': { 'f:p': {} } } })
  const { object } = await applied(server, secret({}), { plural: 'secrets' })
  assert.deepEqual([object['data'], object['stringData']], [{ p: 'eA==' }, undefined])
})
