import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectTls } from 'node:tls'
import { after, before, suite, test } from 'node:test'
import { WebSocket, WebSocketServer } from 'ws'
import { badRequest } from '#apimachinery/errors.ts'
import { startTestServer, type TestServer } from '#apiserver/api-server.fixture.ts'
import type { AuditEvent } from '#apiserver/audit/audit-event.ts'
import { createAuditor } from '#apiserver/audit/auditor.ts'
import type { UpgradeCall, UpgradeRoute } from './upgrade-handler.ts'

const bearer = (token: string): string => `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString('base64url')}`
const path = '/api/v1/namespaces/dev/configmaps/talk/echo'

/** Greets the user by name, then echoes. */
function echoRoute(calls: UpgradeCall[]): UpgradeRoute {
  const server = new WebSocketServer({ noServer: true })
  return {
    matches: (info) => info.kind === 'resource' && info.subresource === 'echo',
    async handle(call) {
      calls.push(call)
      if (call.info.kind === 'resource' && call.info.name === 'bad') throw badRequest('not so')
      if (call.info.kind === 'resource' && call.info.name === 'broken') throw new Error('the route is broken')
      const closed = once(call.socket, 'close')
      server.handleUpgrade(call.request, call.socket, call.head, (socket) => {
        socket.send(call.user.username)
        socket.on('message', (data, binary) => socket.send(data, { binary }))
      })
      await closed
    },
  }
}

suite('createUpgradeHandler()', () => {
  let api: TestServer
  const calls: UpgradeCall[] = []
  const audited: AuditEvent[] = []

  before(async () => {
    api = await startTestServer({
      upgrades: [echoRoute(calls)],
      audit: createAuditor(
        { rules: [{ level: 'Metadata' }] },
        (event) => audited.push(event),
        () => Date.now(),
      ),
      authorizer: (user, attributes) => ({
        allowed: user.username === 'admin' || (user.username === 'bob' && attributes.verb === 'get'),
        reason: '',
      }),
    })
  })
  after(() => api[Symbol.asyncDispose]())

  const open = (options: object, protocols: readonly string[] = [], name = 'talk'): WebSocket =>
    new WebSocket(`${api.server.url.replace('https', 'wss')}${path.replace('talk', name)}`, [...protocols], {
      ca: api.authority.cert,
      ...options,
    })

  const greeting = async (socket: WebSocket): Promise<string> => {
    const [data] = (await once(socket, 'message')) as [Buffer]
    return data.toString()
  }
  const refusal = async (socket: WebSocket): Promise<{ code: number; status: Record<string, unknown> }> => {
    socket.on('error', () => {})
    const [, answer] = (await once(socket, 'unexpected-response')) as [unknown, AsyncIterable<Buffer> & { statusCode: number }]
    let text = ''
    for await (const chunk of answer) text += chunk.toString()
    return { code: answer.statusCode, status: JSON.parse(text) as Record<string, unknown> }
  }

  test('connects an authorized client to the route, in both directions', async () => {
    const socket = open(api.admin)
    assert.equal(await greeting(socket), 'admin')
    socket.send('hello')
    assert.equal(await greeting(socket), 'hello')
    socket.close()
    await once(socket, 'close')
  })

  test('reads a token from the sub-protocol, and hides it from the route', async () => {
    const socket = open({}, [bearer('bob-token'), 'plain.kubevirt.io'])
    assert.equal(await greeting(socket), 'bob')
    assert.equal(socket.protocol, 'plain.kubevirt.io')
    socket.close()
    const call = calls.at(-1)
    assert.equal(call?.headers['sec-websocket-protocol'], 'plain.kubevirt.io')
    assert.doesNotMatch(JSON.stringify(call?.request.rawHeaders), /bearer\.authorization/)
  })

  test('applies impersonation', async () => {
    const socket = open({ ...api.admin, headers: { 'impersonate-user': 'bob' } })
    assert.equal(await greeting(socket), 'bob')
    socket.close()
  })

  const refusals = [
    ['who shows nothing', {}, [], 'talk', 403, 'Forbidden'],
    ['an unknown token', {}, [bearer('guess'), 'x'], 'talk', 401, 'Unauthorized'],
    ['a token alone, which would leave nothing to choose', {}, [bearer('bob-token')], 'talk', 401, 'Unauthorized'],
    ['two tokens', {}, [bearer('bob-token'), bearer('x'), 'x'], 'talk', 401, 'Unauthorized'],
    ['what the route refuses', { headers: { authorization: 'Bearer bob-token' } }, [], 'bad', 400, 'BadRequest'],
    ['what breaks the route', { headers: { authorization: 'Bearer bob-token' } }, [], 'broken', 500, 'InternalError'],
  ] as const
  for (const [what, options, protocols, name, code, reason] of refusals)
    test(`refuses ${what}`, async () => {
      const answer = await refusal(open(options, protocols, name))
      assert.deepEqual([answer.code, answer.status['reason']], [code, reason])
    })

  test('answers an upgrade that no route matches as a regular request', async () => {
    const socket = connectTls({ port: api.server.port, host: '127.0.0.1', ca: api.authority.cert, ...api.admin })
    socket.write('GET /version HTTP/1.1\r\nhost: x\r\nconnection: Upgrade, close\r\nupgrade: websocket\r\n\r\n')
    let text = ''
    for await (const chunk of socket) text += String(chunk)
    assert.match(text, /^HTTP\/1\.1 200 OK\r\n[^]*"gitVersion"/)
  })

  test('writes user and status code to the audit log', async () => {
    const socket = open({ ...api.admin, headers: { 'audit-id': 'mine' } })
    await greeting(socket)
    socket.terminate()
    while (!audited.some(({ auditID, stage }) => auditID === 'mine' && stage === 'ResponseComplete'))
      await new Promise((resolve) => setImmediate(resolve))
    const event = audited.find(({ auditID, stage }) => auditID === 'mine' && stage === 'ResponseComplete')
    assert.deepEqual([event?.responseStatus?.code, event?.user.username, event?.requestURI], [101, 'admin', path])
    assert.ok(audited.some(({ responseStatus }) => responseStatus?.code === 401))
  })
})
