import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:https'
import { Duplex, PassThrough } from 'node:stream'
import { after, before, suite, test } from 'node:test'
import { badRequest } from '#apimachinery/errors.ts'
import { createTestAuthority, type TestAuthority, type TestCertificate } from '#apiserver/http/tls.fixture.ts'
import type { Client } from '#client/client.ts'
import type { SubjectAccessReview } from '#api/authorization/v1/subject-access-review.ts'
import { silentLogger } from '../process/log.ts'
import { startAdmissionServer, type AdmissionServer } from '../webhook/admission-server.ts'
import { createAggregatedApi, type AggregatedObservation } from './aggregated-api.ts'
import type { AggregatedGroup, StreamRequest } from './aggregated-group.ts'
import { parseFrontProxy } from './front-proxy.ts'
import { createAggregatedStreams } from './streams.ts'

const guest = '/apis/sub.example.test/v1/namespaces/ns/guests/web'
const asBob = { 'x-remote-user': 'bob', connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-key': 'key' }

suite('streams of an aggregated API', () => {
  let serving: TestAuthority
  let trusted: TestCertificate
  let server: AdmissionServer
  const asked: StreamRequest[] = []
  const observed: string[] = []
  const responseKind = { group: 'kubevirt.io', version: 'v1', kind: 'Guest' }
  const group: AggregatedGroup = {
    group: 'sub.example.test',
    versions: ['v1'],
    resources: [
      {
        resource: 'guests',
        subresource: 'console',
        hasTail: true,
        responseKind,
        handlers: {},
        stream: async (question) => {
          asked.push(question)
          if (question.tail === 'refused') throw badRequest('VMI is not running')
          const echo = new PassThrough()
          return {
            headers: { upgrade: 'websocket', 'sec-websocket-accept': 'yes' },
            socket: Duplex.from(echo),
            head: Buffer.from('early '),
          }
        },
      },
      {
        resource: 'guests',
        subresource: 'later',
        responseKind,
        handlers: { GET: () => Promise.reject(badRequest('not served yet')) },
      },
      {
        resource: 'guests',
        subresource: 'start',
        responseKind,
        handlers: { PUT: async () => ({ code: 202, body: { message: 'started' } }) },
      },
    ],
  }
  const client: Pick<Client, 'create'> = {
    create: async (_, object) => ({ status: { allowed: (object as SubjectAccessReview).spec.user === 'bob', reason: '' } }) as never,
  }

  before(async () => {
    let proxies: TestAuthority
    ;[serving, proxies] = await Promise.all([createTestAuthority(), createTestAuthority('proxies')])
    trusted = await proxies.issue('front-proxy')
    const { cert: certificate, key } = await serving.issue('virt-api', [], true)
    const proxy = parseFrontProxy({
      'requestheader-client-ca-file': proxies.cert,
      'requestheader-username-headers': '["X-Remote-User"]',
      'requestheader-group-headers': '["X-Remote-Group"]',
    })
    const observe = ({ verb, subresource, code }: AggregatedObservation): void => void observed.push(`${verb} ${subresource} ${code}`)
    const options = { group, client, proxy: () => proxy, log: silentLogger, observe }
    server = await startAdmissionServer({
      host: '127.0.0.1',
      port: 0,
      tls: { certificate, key, proxyAuthority: proxies.cert },
      handlers: {},
      log: silentLogger,
      otherwise: createAggregatedApi(options),
      upgrades: createAggregatedStreams(options),
    })
  })
  after(() => server[Symbol.asyncDispose]())

  type Outcome = { readonly code: number; readonly message?: string; readonly socket?: Duplex; readonly head?: Buffer }
  function upgrade(
    path: string,
    headers: Record<string, string> = asBob,
    certificate: TestCertificate | undefined = trusted,
    method: string = 'GET',
  ): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const options = {
        host: '127.0.0.1',
        port: server.port,
        method,
        path,
        headers,
        ca: serving.cert,
        ...certificate,
        agent: false as const,
      }
      const sent = request(options, (response) => {
        let text = ''
        response.on('data', (chunk) => (text += String(chunk)))
        response.on('end', () =>
          resolve({ code: response.statusCode ?? 0, message: String((JSON.parse(text) as { message?: unknown }).message) }),
        )
      })
      sent.on('upgrade', (response, socket, head) => resolve({ code: response.statusCode ?? 0, socket, head }))
      sent.on('error', reject)
      sent.end()
    })
  }

  test('exchange bytes once the backend is connected', async () => {
    const { code, socket, head } = await upgrade(`${guest}/console/22/tcp?a=b`)
    assert.equal(code, 101)
    assert.ok(socket !== undefined && head !== undefined)
    let text = String(head)
    socket.on('data', (chunk) => (text += String(chunk)))
    socket.write('hello')
    while (!text.endsWith('hello')) await once(socket, 'data')
    assert.equal(text, 'early hello')
    const { caller, namespace, name, tail, query, upgradeHeaders } = asked.at(-1) ?? assert.fail()
    assert.deepEqual([caller.username, namespace, name, tail, query.get('a')], ['bob', 'ns', 'web', '22/tcp', 'b'])
    assert.deepEqual(upgradeHeaders, { upgrade: 'websocket', 'sec-websocket-key': 'key' })
    socket.end()
    await once(socket, 'close')
    assert.ok(observed.includes('get console 101'))
  })

  test('are the only requests that upgrade: another one is answered as without an upgrade', async () => {
    const { code, message } = await upgrade(`${guest}/start`, asBob, trusted, 'PUT')
    assert.deepEqual([code, message], [202, 'started'])
  })

  const refusals: readonly (readonly [string, () => Promise<Outcome>, number, RegExp])[] = [
    ['the handler refuses', () => upgrade(`${guest}/console/refused`), 400, /VMI is not running/],
    ['the user has no right', () => upgrade(`${guest}/console`, { ...asBob, 'x-remote-user': 'eve' }), 403, /guests/],
    ['the caller is no front proxy', () => upgrade(`${guest}/console`, asBob, {} as TestCertificate), 401, /Unauthorized/i],
    ['the path is not served', () => upgrade(`${guest}/other`), 404, /could not find/],
    ['the subresource is not served yet', () => upgrade(`${guest}/later`), 400, /not served yet/],
    ['the client asks for no upgrade', () => upgrade(`${guest}/console`, { 'x-remote-user': 'bob' }), 400, /websocket/],
  ]
  for (const [when, ask, code, message] of refusals) {
    test(`answer ${code} when ${when}`, async () => {
      const refusal = await ask()
      assert.equal(refusal.code, code)
      assert.match(refusal.message ?? '', message)
    })
  }
})
