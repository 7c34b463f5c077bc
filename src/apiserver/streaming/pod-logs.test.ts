import assert from 'node:assert/strict'
import { once } from 'node:events'
import { suite, test } from 'node:test'
import type { Pod } from '#api/core/v1/pod.ts'
import { badRequest } from '#apimachinery/errors.ts'
import { startTestServer, type TestServer } from '#apiserver/api-server.fixture.ts'
import { builtinDefinitions } from '#apiserver/builtin/builtin-definitions.ts'
import { connectTo } from '../http/http2-client.fixture.ts'
import type { LogRequest, LogSource } from './pod-logs.ts'

const pods = '/api/v1/namespaces/default/pods'
const container = (name: string): Pod['spec']['containers'][number] => ({ name, image: 'x' })

async function startWith(logs: LogSource | undefined): Promise<TestServer> {
  const server = await startTestServer({ definitions: builtinDefinitions(), ...(logs === undefined ? {} : { logs }) })
  using client = connectTo(server)
  const meta = { apiVersion: 'v1', kind: 'Pod' }
  for (const body of [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } },
    { ...meta, metadata: { name: 'one' }, spec: { nodeName: 'n1', containers: [container('main')], initContainers: [container('init')] } },
    { ...meta, metadata: { name: 'two' }, spec: { nodeName: 'n1', containers: [container('a'), container('b')] } },
    { ...meta, metadata: { name: 'homeless' }, spec: { containers: [container('main')] } },
  ]) {
    const answer = await client.request('POST', body.kind === 'Pod' ? pods : '/api/v1/namespaces', {
      headers: { 'content-type': 'application/json' },
      body,
    })
    assert.equal(answer.status, 201, answer.text)
  }
  return server
}

async function* chunksOf(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text)
}

suite('GET pods/log', () => {
  test('forwards options to the node, and its output to the client', async () => {
    const asked: LogRequest[] = []
    await using server = await startWith(async (request) => {
      asked.push(request)
      return chunksOf('first\n', 'second\n')
    })
    using client = connectTo(server)
    const whole = await client.request('GET', `${pods}/one/log`)
    assert.deepEqual([whole.status, whole.headers['content-type'], whole.text], [200, 'text/plain', 'first\nsecond\n'])
    const part = await client.request(
      'GET',
      `${pods}/two/log?container=b&tailLines=5&previous=true&limitBytes=3&timestamps=true&sinceTime=2026-01-02T03:04:05Z`,
    )
    assert.equal(part.text, 'fir')
    assert.deepEqual(asked, [
      { node: 'n1', namespace: 'default', pod: 'one', container: 'main', previous: false, follow: false, timestamps: false },
      {
        node: 'n1',
        namespace: 'default',
        pod: 'two',
        container: 'b',
        previous: true,
        follow: false,
        timestamps: true,
        tailLines: 5,
        since: Date.parse('2026-01-02T03:04:05Z'),
      },
    ])
  })

  for (const [path, code] of [
    ['two/log', 400],
    ['two/log?container=c', 400],
    ['homeless/log', 400],
    ['one/log?container=init', 400],
    ['one/log?tailLines=-1', 422],
    ['one/log?tailLines=x', 400],
    ['one/log?limitBytes=0', 422],
    ['one/log?sinceSeconds=0', 422],
    ['one/log?sinceTime=yesterday', 400],
    ['one/log?sinceSeconds=5&sinceTime=2026-01-02T03:04:05Z', 422],
    ['nobody/log', 404],
  ] as const) {
    test(`answers ${path} with ${code} and a Status`, async () => {
      await using server = await startWith(() => Promise.reject(badRequest('it waits to start')))
      using client = connectTo(server)
      const { status, value } = await client.request('GET', `${pods}/${path}`)
      assert.deepEqual([status, (value as { kind?: string }).kind], [code, 'Status'])
    })
  }

  test('requires authorization, and a log source', async () => {
    await using server = await startWith(undefined)
    using admin = connectTo(server)
    assert.equal((await admin.request('GET', `${pods}/one/log`)).status, 404)
    assert.equal((await admin.request('PUT', `${pods}/one/log`)).status, 404)
    using bob = connectTo(server, 'bob-token')
    assert.equal((await bob.request('GET', `${pods}/one/log`)).status, 403)
  })

  test('stops following when the client disconnects or the server stops', async () => {
    const ends: AbortSignal[] = []
    await using server = await startWith(async ({ follow }, signal) => {
      assert.equal(follow, true)
      ends.push(signal)
      return (async function* () {
        yield Buffer.from('so far\n')
        if (!signal.aborted) await once(signal, 'abort')
      })()
    })
    using client = connectTo(server)
    const open = async (): Promise<{ close(): void }> => {
      const stream = client.session.request({ ':path': `${pods}/one/log?follow=true` })
      stream.on('error', () => {})
      await once(stream, 'data')
      return stream
    }
    const leaver = await open()
    await open()
    leaver.close()
    const [left, stays] = ends
    assert.ok(left !== undefined && stays !== undefined)
    if (!left.aborted) await once(left, 'abort')
    assert.equal(stays.aborted, false)
    await server.server.stop(2_000)
    assert.equal(stays.aborted, true)
  })
})
