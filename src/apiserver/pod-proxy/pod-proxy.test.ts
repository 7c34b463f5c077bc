import assert from 'node:assert/strict'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { suite, test } from 'node:test'
import { startTestServer } from '#apiserver/api-server.fixture.ts'
import { builtinDefinitions } from '#apiserver/builtin/builtin-definitions.ts'
import { connectTo } from '../http/http2-client.fixture.ts'
import { parseProxyName } from './proxy-target.ts'

const namespace = '/api/v1/namespaces/default'
const json = { 'content-type': 'application/json' }

interface Fixture extends AsyncDisposable {
  readonly client: ReturnType<typeof connectTo>
  readonly port: number
  readonly seen: { readonly request: IncomingMessage; readonly body: string }[]
}

/** An API server, and a pod `web` that answers with what it is asked. */
async function start(): Promise<Fixture> {
  const seen: Fixture['seen'] = []
  const pod = createServer((request, response) => {
    void text(request).then((body) => {
      seen.push({ request, body })
      response.writeHead(request.url === '/missing' ? 404 : 200, { 'x-pod': 'web' }).end(`${request.method} ${request.url}`)
    })
  })
  pod.listen(0, '127.0.0.1')
  await once(pod, 'listening')
  const { port } = pod.address() as AddressInfo
  const server = await startTestServer({ definitions: builtinDefinitions() })
  const client = connectTo(server)
  const create = async (path: string, body: object): Promise<void> => {
    const answer = await client.request('POST', path, { headers: json, body })
    assert.equal(answer.status, 201, answer.text)
  }
  await create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } })
  const container = { name: 'main', image: 'x', ports: [{ containerPort: port }] }
  for (const name of ['web', 'homeless'])
    await create(`${namespace}/pods`, { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers: [container] } })
  const status = { podIP: '127.0.0.1', podIPs: [{ ip: '127.0.0.1' }] }
  const merge = { 'content-type': 'application/merge-patch+json' }
  await client.request('PATCH', `${namespace}/pods/web/status`, { headers: merge, body: { status } })
  const ports = [{ name: 'http', port: 8080, targetPort: port }]
  for (const name of ['front', 'empty'])
    await create(`${namespace}/services`, { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { ports } })
  await create('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 'front-1', labels: { 'kubernetes.io/service-name': 'front' } },
    addressType: 'IPv4',
    ports: [{ name: 'http', port }],
    endpoints: [{ addresses: ['127.0.0.1'], conditions: { ready: true } }],
  })
  return {
    client,
    port,
    seen,
    async [Symbol.asyncDispose]() {
      client[Symbol.dispose]()
      await server[Symbol.asyncDispose]()
      pod.close()
    },
  }
}

suite('proxy of pods and services', () => {
  test('forwards path, query, body and answer', async () => {
    await using fixture = await start()
    const { client, port, seen } = fixture
    for (const [path, answer] of [
      ['pods/web/proxy/a/b%2Fc?d=e', 'GET /a/b%2Fc?d=e'],
      [`pods/http:web:${port}/proxy/`, 'GET /'],
      ['services/front:8080/proxy/x', 'GET /x'],
      ['services/front:http/proxy/x', 'GET /x'],
    ] as const) {
      const { status, text: answered, headers } = await client.request('GET', `${namespace}/${path}`)
      assert.deepEqual([status, answered, headers['x-pod']], [200, answer, 'web'])
    }
    const posted = await client.request('POST', `${namespace}/pods/web/proxy/form`, {
      headers: { ...json, authorization: 'Bearer secret', 'x-remote-user': 'root' },
      body: { a: 1 },
    })
    assert.deepEqual([posted.status, posted.text, seen.at(-1)?.body], [200, 'POST /form', '{"a":1}'])
    const { headers } = seen.at(-1)?.request ?? {}
    assert.deepEqual([headers?.authorization, headers?.['x-remote-user']], [undefined, undefined])
    assert.equal((await client.request('GET', `${namespace}/pods/web/proxy/missing`)).status, 404)
  })

  test('leads to the path with a slash', async () => {
    await using fixture = await start()
    const { status, headers } = await fixture.client.request('GET', `${namespace}/pods/web/proxy?a=b`)
    assert.deepEqual([status, headers['location']], [301, `${namespace}/pods/web/proxy/?a=b`])
  })

  test('says what it cannot reach', async () => {
    await using fixture = await start()
    for (const [path, status, reason] of [
      ['pods/none/proxy/', 404, 'NotFound'],
      ['pods/homeless/proxy/', 400, 'BadRequest'],
      ['pods/ftp:web:21/proxy/', 400, 'BadRequest'],
      ['pods/web:name/proxy/', 400, 'BadRequest'],
      ['pods/web:1/proxy/', 503, 'ServiceUnavailable'],
      ['services/front:9/proxy/', 503, 'ServiceUnavailable'],
      ['services/empty:8080/proxy/', 503, 'ServiceUnavailable'],
    ] as const) {
      const answer = await fixture.client.request('GET', `${namespace}/${path}`)
      assert.deepEqual([answer.status, (JSON.parse(answer.text) as { reason: string }).reason], [status, reason], path)
    }
  })
})

test('parseProxyName() reads scheme, name and port', () => {
  assert.deepEqual(parseProxyName('web', 'pod'), { scheme: 'http', name: 'web', port: '' })
  assert.deepEqual(parseProxyName('web:80', 'pod'), { scheme: 'http', name: 'web', port: '80' })
  assert.deepEqual(parseProxyName('https:web:', 'pod'), { scheme: 'https', name: 'web', port: '' })
})
