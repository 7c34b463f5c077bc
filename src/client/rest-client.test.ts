import assert from 'node:assert/strict'
import test from 'node:test'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { StatusError } from '#apimachinery/errors.ts'
import { pods } from '#api/core/v1/resources.ts'
import { TransportError } from './client.ts'
import type { Client } from './client.ts'
import { createRestClient, parseWarnings } from './rest-client.ts'
import type { RestClientOptions } from './rest-client.ts'
import type { TransportRequest, TransportResponse } from './transport.ts'

interface Script {
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly text?: string
}

function response({ status = 200, headers = {}, text = '{}' }: Script): TransportResponse {
  return {
    status,
    headers,
    text: () => Promise.resolve(text),
    body: (async function* () {
      yield new TextEncoder().encode(text)
    })(),
  }
}

function scripted(answers: readonly Script[], options: RestClientOptions = {}): { client: Client; sent: TransportRequest[] } {
  const sent: TransportRequest[] = []
  const request = async (one: TransportRequest): Promise<TransportResponse> => {
    sent.push(one)
    return response(answers[Math.min(sent.length, answers.length) - 1] ?? {})
  }
  return { client: createRestClient({ request }, options), sent }
}

const vms: ResourceType<KubeObject> = {
  group: 'kubevirt.io',
  version: 'v1',
  kind: 'VirtualMachine',
  plural: 'virtualmachines',
  namespaced: true,
}
const nodes: ResourceType<KubeObject> = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false }
const key = { namespace: 'n', name: 'a' }

test('createRestClient() sends each verb to the right path in the right format', async () => {
  const cases: { run: (client: Client) => Promise<unknown>; wanted: string; type?: string; body?: unknown }[] = [
    { run: (client) => client.get(pods, key), wanted: 'GET /api/v1/namespaces/n/pods/a' },
    { run: (client) => client.get(nodes, { name: 'x' }), wanted: 'GET /api/v1/nodes/x' },
    {
      run: (client) => client.list(vms, { limit: 5, labelSelector: 'a=b,c in (d)' }),
      wanted: 'GET /apis/kubevirt.io/v1/virtualmachines?limit=5&labelSelector=a%3Db%2Cc%20in%20(d)',
    },
    {
      run: (client) => client.list(vms, { namespace: 'n', continue: 'a+b', resourceVersion: '' }),
      wanted: 'GET /apis/kubevirt.io/v1/namespaces/n/virtualmachines?continue=a%2Bb',
    },
    {
      run: (client) => client.create(vms, { metadata: key }, { dryRun: true, fieldValidation: 'Strict' }),
      wanted: 'POST /apis/kubevirt.io/v1/namespaces/n/virtualmachines?dryRun=All&fieldValidation=Strict',
      type: 'application/json',
    },
    {
      run: (client) => client.create(pods, { metadata: key }, { subresource: 'eviction' }),
      wanted: 'POST /api/v1/namespaces/n/pods/a/eviction',
      type: 'application/json',
    },
    {
      run: (client) => client.update(vms, { metadata: key }, { subresource: 'status' }),
      wanted: 'PUT /apis/kubevirt.io/v1/namespaces/n/virtualmachines/a/status',
      type: 'application/json',
    },
    {
      run: (client) => client.patch(vms, key, { type: 'json', operations: [{ op: 'remove', path: '/x' }] }),
      wanted: 'PATCH /apis/kubevirt.io/v1/namespaces/n/virtualmachines/a',
      type: 'application/json-patch+json',
      body: [{ op: 'remove', path: '/x' }],
    },
    {
      run: (client) => client.patch(vms, key, { type: 'merge', body: { a: 1 } }),
      wanted: 'PATCH /apis/kubevirt.io/v1/namespaces/n/virtualmachines/a',
      type: 'application/merge-patch+json',
      body: { a: 1 },
    },
    {
      run: (client) => client.patch(pods, key, { type: 'strategic', body: { a: 1 } }),
      wanted: 'PATCH /api/v1/namespaces/n/pods/a',
      type: 'application/strategic-merge-patch+json',
      body: { a: 1 },
    },
    {
      run: (client) => client.patch(pods, key, { type: 'apply', body: { kind: 'Pod' }, fieldManager: 'me', force: true }),
      wanted: 'PATCH /api/v1/namespaces/n/pods/a?fieldManager=me&force=true',
      type: 'application/apply-patch+yaml',
      body: { kind: 'Pod' },
    },
    {
      run: (client) => client.delete(pods, key, { gracePeriodSeconds: 0, propagationPolicy: 'Foreground', preconditions: { uid: 'u' } }),
      wanted: 'DELETE /api/v1/namespaces/n/pods/a',
      type: 'application/json',
      body: {
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        gracePeriodSeconds: 0,
        propagationPolicy: 'Foreground',
        preconditions: { uid: 'u' },
      },
    },
  ]
  for (const { run, wanted, type, body } of cases) {
    const { client, sent } = scripted([{ text: '{"items":[]}' }])
    await run(client)
    assert.equal(`${sent[0]?.method} ${sent[0]?.path}`, wanted)
    assert.equal(sent[0]?.headers['content-type'], type, wanted)
    if (body !== undefined) assert.deepEqual(JSON.parse(sent[0]?.body ?? ''), body, wanted)
  }
})

test('createRestClient() refuses a request that would address a collection by mistake', async () => {
  const { client, sent } = scripted([])
  await assert.rejects(client.delete(pods, { namespace: 'n', name: '' }), TypeError)
  await assert.rejects(client.get(pods, { name: 'a' }), TypeError)
  await assert.rejects(client.create(pods, { metadata: { name: 'a' } }), TypeError)
  assert.equal(sent.length, 0)
})

test('createRestClient() waits for the duration of Retry-After, within limits', async () => {
  const waits: number[] = []
  const sleep = async (ms: number): Promise<void> => void waits.push(ms)
  const busy = { status: 429, headers: { 'retry-after': '2' } }
  const twice = scripted([busy, busy, {}], { sleep })
  await twice.client.create(pods, { metadata: key })
  assert.deepEqual([waits.splice(0), twice.sent.length], [[2000, 2000], 3])
  const always = scripted([busy], { sleep })
  await assert.rejects(always.client.get(pods, key), (error) => error instanceof StatusError && error.code === 429)
  assert.deepEqual([waits.splice(0).length, always.sent.length], [4, 5])
  for (const answer of [
    { ...busy, headers: { 'retry-after': '3600' } },
    { ...busy, headers: {} },
  ]) {
    const { client, sent } = scripted([answer], { sleep })
    await assert.rejects(client.get(pods, key), StatusError)
    assert.equal(sent.length, 1)
  }
  assert.deepEqual(waits, [])
})

test('createRestClient() converts every failed response to a StatusError', async () => {
  const cases = [
    {
      answer: { status: 404, text: '{"kind":"Status","status":"Failure","reason":"NotFound","message":"gone","code":404}' },
      reason: 'NotFound',
      code: 404,
    },
    { answer: { status: 403, text: 'RBAC proxy says no' }, reason: 'Forbidden', code: 403 },
    { answer: { status: 503, text: '<html>' }, reason: 'ServiceUnavailable', code: 503 },
    { answer: { status: 502, text: '' }, reason: 'InternalError', code: 502 },
    { answer: { status: 302, text: '' }, reason: '', code: 302 },
  ]
  for (const { answer, reason, code } of cases) {
    await assert.rejects(
      scripted([answer]).client.get(pods, key),
      (error) => error instanceof StatusError && error.reason === reason && error.code === code,
    )
  }
  await assert.rejects(scripted([{ text: '<html>' }]).client.get(pods, key), TransportError)
})

test('createRestClient() sets apiVersion and kind, which list items lack', async () => {
  const { client } = scripted([{ text: '{"metadata":{},"items":[{"metadata":{"name":"a"}},{"apiVersion":"v2","kind":"Other"}]}' }])
  const { items } = await client.list(pods)
  assert.deepEqual(
    items.map((item) => [item.apiVersion, item.kind]),
    [
      ['v1', 'Pod'],
      ['v2', 'Other'],
    ],
  )
})

test('createRestClient() reports warnings and exchanges', async () => {
  const warnings: string[] = []
  const exchanges: unknown[] = []
  let time = 0
  const { client } = scripted([{ status: 201, headers: { warning: '299 - "use \\"v1\\"", 299 - "second"' } }], {
    onWarning: (text) => warnings.push(text),
    observe: (exchange) => exchanges.push(exchange),
    now: () => (time += 7),
  })
  await client.create(pods, { metadata: key })
  assert.deepEqual(warnings, ['use "v1"', 'second'])
  assert.deepEqual(exchanges, [{ method: 'POST', path: '/api/v1/namespaces/n/pods', code: 201, ms: 7 }])
  assert.deepEqual(parseWarnings(undefined), [])
})

test('watch() reports a refusal, and requests a stream', async () => {
  const { client, sent } = scripted([{ status: 403, text: 'no' }])
  const { signal } = new AbortController()
  await assert.rejects(Array.fromAsync(client.watch(vms, { resourceVersion: '5', timeoutSeconds: 9, signal })), StatusError)
  assert.equal(sent[0]?.path, '/apis/kubevirt.io/v1/virtualmachines?watch=true&resourceVersion=5&timeoutSeconds=9')
  assert.equal(sent[0].streaming, true)
})
