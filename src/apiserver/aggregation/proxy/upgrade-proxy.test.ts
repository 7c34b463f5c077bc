import assert from 'node:assert/strict'
import { getEventListeners, once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { after, before, suite, test } from 'node:test'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { WebSocket } from 'ws'
import type { AuditEvent } from '#apiserver/audit/audit-event.ts'
import { createAuditor } from '#apiserver/audit/auditor.ts'
import type { UpgradeCall } from '#apiserver/front/upgrade/upgrade-handler.ts'
import { createUpgradeProxy } from './upgrade-proxy.ts'
import { type AggregationTest, startAggregationTest } from '../aggregation.fixture.ts'
import { type ExtensionServer, startExtensionServer } from '../extension-server.fixture.ts'

const talkPath = (name: string): string => `/apis/example.test/v1/namespaces/dev/flunders/${name}/talk`
const bearer = (token: string): string => `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString('base64url')}`

suite('createUpgradeProxy()', () => {
  let environment: AggregationTest
  let extension: ExtensionServer
  const audited: AuditEvent[] = []

  before(async () => {
    environment = await startAggregationTest({
      tokens: [
        { token: 'bob-token', username: 'bob', uid: 'u-bob', groups: ['dev'] },
        { token: 'eve-token', username: 'eve', groups: [] },
      ],
      audit: createAuditor(
        { rules: [{ level: 'Metadata' }] },
        (event) => audited.push(event),
        () => Date.now(),
      ),
      authorizer: (user) => ({ allowed: user.username !== 'eve', reason: '' }),
    })
    extension = await startExtensionServer({ certificate: environment.certificate, requestHeaderCa: environment.requestHeader.cert })
    await environment.expose(extension.port)
    await environment.register()
    await environment.untilAvailable('True', 'Passed')
  })
  after(async () => {
    await environment[Symbol.asyncDispose]()
    await extension[Symbol.asyncDispose]()
    assert.deepEqual(environment.api.failures, [])
  })

  const open = (name: string, options: object, protocols: readonly string[] = ['plain.kubevirt.io']): WebSocket => {
    const url = `${environment.api.server.url.replace('https', 'wss')}${talkPath(name)}`
    return new WebSocket(url, [...protocols], { ca: environment.api.authority.cert, ...options })
  }
  const message = async (socket: WebSocket): Promise<Buffer> => {
    const [data] = (await once(socket, 'message')) as [Buffer]
    return data
  }
  const refusal = async (socket: WebSocket): Promise<{ code: number; text: string }> => {
    socket.on('error', () => {})
    const [, answer] = (await once(socket, 'unexpected-response')) as [unknown, AsyncIterable<Buffer> & { statusCode: number }]
    let text = ''
    for await (const chunk of answer) text += chunk.toString()
    return { code: answer.statusCode, text }
  }
  const lastHeaders = () => extension.received.at(-1)?.headers ?? {}

  test('forwards a WebSocket with its sub-protocol, for a user with a certificate', async () => {
    const socket = open('one', environment.api.admin)
    assert.equal((await message(socket)).toString(), 'hello admin')
    assert.equal(socket.protocol, 'plain.kubevirt.io')
    const bytes = Buffer.alloc(300_000, 7)
    socket.send(bytes)
    assert.deepEqual(await message(socket), bytes)
    assert.equal(extension.received.at(-1)?.client, 'front-proxy-client')
    assert.deepEqual(extension.received.at(-1)?.groups, ['system:masters', 'system:authenticated'])
    assert.equal(lastHeaders()['host'], 'extension.dev.svc:443')
    socket.close(1000)
    const [code] = (await once(socket, 'close')) as [number]
    assert.equal(code, 1000)
  })

  test('authenticates a token, and does not forward it', async () => {
    for (const [options, protocols] of [
      [{ headers: { authorization: 'Bearer bob-token', 'x-remote-user': 'root' } }, undefined],
      [{}, [bearer('bob-token'), 'plain.kubevirt.io']],
    ] as const) {
      const socket = open('one', options, protocols)
      assert.equal((await message(socket)).toString(), 'hello bob')
      const headers = lastHeaders()
      assert.deepEqual(
        [headers['authorization'], headers['sec-websocket-protocol'], headers['x-remote-uid']],
        [undefined, 'plain.kubevirt.io', 'u-bob'],
      )
      socket.close()
      await once(socket, 'close')
    }
  })

  test('sends the impersonated user', async () => {
    const headers = { 'impersonate-user': 'carol', 'impersonate-group': 'ops', 'impersonate-extra-scopes.example.org%2fall': 'a' }
    const socket = open('one', { ...environment.api.admin, headers })
    assert.equal((await message(socket)).toString(), 'hello carol')
    assert.equal(lastHeaders()['x-remote-group'], 'ops, system:authenticated')
    assert.equal(lastHeaders()['x-remote-extra-scopes.example.org%2fall'], 'a')
    socket.close()
    await once(socket, 'close')
  })

  test('refuses unauthorized users before calling the backend', async () => {
    const count = extension.received.length
    const { code, text } = await refusal(open('one', { headers: { authorization: 'Bearer eve-token' } }))
    assert.equal(code, 403)
    assert.match(text, /User \\"eve\\" cannot get resource \\"flunders\/talk\\" in API group \\"example.test\\"/)
    assert.equal((await refusal(open('one', { headers: { authorization: 'Bearer wrong' } }))).code, 401)
    assert.equal(extension.received.length, count)
  })

  test("forwards the backend's refusal", async () => {
    assert.deepEqual(await refusal(open('refuse', environment.api.admin)), { code: 409, text: 'not now\n' })
    const redirected = await refusal(open('redirect', environment.api.admin))
    assert.deepEqual(redirected, { code: 502, text: 'the backend attempted to redirect this request, which is not permitted\n' })
    assert.ok(audited.some(({ requestURI, responseStatus }) => requestURI.includes('/refuse/') && responseStatus?.code === 409))
  })

  test('forwards bytes of any protocol, and half-closes', async () => {
    const socket: TLSSocket = connectTls({
      port: environment.api.server.port,
      host: '127.0.0.1',
      ca: environment.api.authority.cert,
      ...environment.api.admin,
    })
    socket.write(
      `POST ${talkPath('one')} HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: SPDY/3.1\r\ncontent-length: 0\r\n\r\nearly`,
    )
    let text = ''
    for await (const chunk of socket) {
      text += String(chunk)
      if (text.endsWith('helloearly')) socket.end('late')
      if (text.endsWith('late')) break
    }
    assert.match(text, /^HTTP\/1\.1 101 Switching Protocols\r\n/)
    assert.match(text, /\r\nupgrade: SPDY\/3\.1\r\n/i)
  })

  test('ends the connection when the backend exits', async () => {
    const other = await startExtensionServer({ certificate: environment.certificate, requestHeaderCa: environment.requestHeader.cert })
    await environment.admin.request('PATCH', '/apis/discovery.k8s.io/v1/namespaces/dev/endpointslices/extension-1', {
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { ports: [{ name: 'https', port: other.port }] },
    })
    const socket = open('one', environment.api.admin)
    await message(socket)
    await other[Symbol.asyncDispose]()
    await once(socket, 'close')
    const { code, text } = await refusal(open('one', environment.api.admin))
    assert.equal(code, 503)
    assert.match(text, /^(service unavailable|error trying to reach service: .*ECONNREFUSED.*)\n$/)
  })
})

test('a client that leaves before the answer of the backend leaves nothing behind', async () => {
  const { signal } = new AbortController()
  const client = new PassThrough()
  await using stack = new AsyncDisposableStack()
  const server = stack.adopt(createServer(), (open) => void open.close())
  server.on('upgrade', (_, socket: Socket) => {
    client.destroy()
    client.once('close', () => socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const api = { available: true, service: { name: 'extension', namespace: 'dev', port: 443 } }
  let backend: Socket | undefined
  const proxy = createUpgradeProxy({
    services: { remote: () => api } as never,
    pool: {
      dial: async () => {
        backend = connect((server.address() as AddressInfo).port, '127.0.0.1')
        await once(backend, 'connect')
        return backend as TLSSocket
      },
    } as never,
    find: () => ({ kind: 'ready', addresses: [{ host: '127.0.0.1', port: 1 }] }) as never,
    random: () => 0,
    onUnreachable: () => assert.fail('the backend is reachable'),
  })
  const url = talkPath('one')
  const info = { kind: 'resource', group: 'example.test', version: 'v1', path: url }
  const user = { username: 'bob', groups: [] }
  const call = { method: 'GET', url, headers: {}, socket: client, head: Buffer.alloc(0), info, user, auditId: 'a', address: '', signal }
  await proxy.handle({ ...call, answered: () => {} } as unknown as UpgradeCall)
  assert.equal(getEventListeners(signal, 'abort').length, 0)
  assert.equal(backend?.destroyed, true)
})
