import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Status } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { startTestServer, type TestServer } from './api-server.fixture.ts'
import { connectTo, type TestClient } from './http/http2-client.fixture.ts'

const inDev = '/api/v1/namespaces/dev/configmaps'
const asApply = { 'content-type': 'application/apply-patch+yaml' }
const asMerge = { 'content-type': 'application/merge-patch+json' }

suite('Apply over HTTP', () => {
  let api: TestServer
  let admin: TestClient
  before(async () => {
    api = await startTestServer()
    admin = connectTo(api)
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'dev' } }
    await admin.request('POST', '/api/v1/namespaces', { headers: { 'content-type': 'application/json' }, body })
  })
  after(async () => {
    admin[Symbol.dispose]()
    await api[Symbol.asyncDispose]()
    assert.deepEqual(api.failures, [])
  })

  const applyYaml = (name: string, data: string, query = 'fieldManager=me', more = ''): ReturnType<TestClient['request']> =>
    admin.request('PATCH', `${inDev}/${name}?${query}`, {
      headers: asApply,
      body: `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}${more}}\ndata: ${data}\n`,
    })

  test('answers 201 when it creates and 200 when it changes, in YAML or JSON', async () => {
    assert.equal((await applyYaml('life', '{a: one}')).status, 201)
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'life' }, data: { a: 'two' } }
    const changed = await admin.request('PATCH', `${inDev}/life?fieldManager=me`, { headers: asApply, body })
    assert.deepEqual([changed.status, (changed.value as { data?: object }).data], [200, { a: 'two' }])
  })

  test('shows managedFields in objects, lists, tables and metadata', async () => {
    await applyYaml('shown', '{a: one}')
    const managersIn = (object: unknown): unknown => (object as KubeObject).metadata?.managedFields?.map(({ manager }) => manager)
    const get = async (path: string, accept: string): Promise<unknown> => (await admin.request('GET', path, { headers: { accept } })).value
    assert.deepEqual(managersIn(await get(`${inDev}/shown`, 'application/json')), ['me'])
    assert.deepEqual(managersIn(await get(`${inDev}/shown`, 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io')), ['me'])
    const list = (await get(`${inDev}?fieldSelector=metadata.name=shown`, 'application/json')) as { items: unknown[] }
    assert.deepEqual(list.items.map(managersIn), [['me']])
    const table = (await get(`${inDev}/shown`, 'application/json;as=Table;v=v1;g=meta.k8s.io')) as { rows: { object: unknown }[] }
    assert.deepEqual(
      table.rows.map(({ object }) => managersIn(object)),
      [['me']],
    )
  })

  test('creates an object in spite of a resource version', async () => {
    const answer = await applyYaml('versioned', '{a: one}', 'fieldManager=me', ', resourceVersion: "5"')
    assert.equal(answer.status, 201)
    assert.notEqual((answer.value as KubeObject).metadata?.resourceVersion, '5')
  })

  test('derives the manager from the User-Agent when absent', async () => {
    await applyYaml('agent', '{a: one}')
    const headers = { ...asMerge, 'user-agent': 'robot/v2 (linux)' }
    const { value } = await admin.request('PATCH', `${inDev}/agent`, { headers, body: { data: { b: 'two' } } })
    assert.deepEqual(
      (value as KubeObject).metadata?.managedFields?.map(({ manager, operation }) => [manager, operation]),
      [
        ['me', 'Apply'],
        ['robot', 'Update'],
      ],
    )
  })

  const refusals: readonly { name: string; send: () => ReturnType<TestClient['request']>; code: number; message: string }[] = [
    {
      name: 'no manager',
      send: () => applyYaml('no', '{a: x}', ''),
      code: 422,
      message: 'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    },
    {
      name: 'force without apply',
      send: () => admin.request('PATCH', `${inDev}/no?force=true`, { headers: asMerge, body: {} }),
      code: 422,
      message: 'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
    },
    {
      name: 'keys that come twice, when it is strict',
      send: () => applyYaml('no', '{a: x, a: y}', 'fieldManager=me&fieldValidation=Strict'),
      code: 400,
      message: 'error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line 4: key "a" already set in map',
    },
    {
      name: 'fields that come twice in a merge patch, when it is strict',
      send: () => admin.request('PATCH', `${inDev}/no?fieldValidation=Strict`, { headers: asMerge, body: '{"data":{"a":"x","a":"y"}}' }),
      code: 422,
      message:
        ' "" is invalid: patch: Invalid value: "{\\"data\\":{\\"a\\":\\"x\\",\\"a\\":\\"y\\"}}": strict decoding error: duplicate field "data.a"',
    },
    {
      name: 'a field that the kind does not have',
      send: () => applyYaml('no', '{a: x}\nnone: 1'),
      code: 500,
      message: 'failed to create typed patch object (/no; /v1, Kind=ConfigMap): .none: field not declared in schema',
    },
    {
      name: 'an old version',
      send: async () => {
        await applyYaml('versioned', '{a: x}')
        return applyYaml('versioned', '{a: y}', 'fieldManager=me', ", resourceVersion: '1'")
      },
      code: 409,
      message:
        'Operation cannot be fulfilled on configmaps "versioned": the object has been modified; please apply your changes to the latest version and try again',
    },
  ]
  for (const { name, send, code, message } of refusals) {
    test(`refuses ${name}`, async () => {
      const { status, value } = await send()
      assert.deepEqual([status, (value as Status).message], [code, message])
    })
  }

  test('warns about duplicate keys, and uses the last value', async () => {
    const { status, headers, value } = await applyYaml('twice', '{a: x, a: y}')
    assert.deepEqual([status, (value as { data?: object }).data], [201, { a: 'y' }])
    assert.match(String(headers['warning']), /line 4: key \\"a\\" already set in map/)
  })

  test('returns the result of a dry run, and stores nothing', async () => {
    const { status } = await applyYaml('trial', '{a: x}', 'fieldManager=me&dryRun=All')
    assert.deepEqual([status, (await admin.request('GET', `${inDev}/trial`)).status], [201, 404])
  })
})
