import assert from 'node:assert/strict'
import { Agent, request } from 'node:https'
import { after, before, suite, test } from 'node:test'
import { connect, type TLSSocket } from 'node:tls'
import type { SubjectAccessReview } from '#api/authorization/v1/subject-access-review.ts'
import { conflict } from '#apimachinery/errors.ts'
import { createTestAuthority, type TestAuthority, type TestCertificate } from '#apiserver/http/tls.fixture.ts'
import type { Client } from '#client/client.ts'
import { silentLogger } from '../process/log.ts'
import { startAdmissionServer, type AdmissionServer } from '../webhook/admission-server.ts'
import type { AggregatedGroup, AggregatedRequest } from './aggregated-group.ts'
import { createAggregatedApi, type AggregatedObservation } from './aggregated-api.ts'
import { noFrontProxy, parseFrontProxy, type FrontProxy } from './front-proxy.ts'

interface Answer {
  readonly code: number
  readonly body: { readonly [key: string]: unknown } | undefined
  readonly headers: NodeJS.Dict<string | string[]>
}

const asBob = { 'x-remote-user': 'bob', 'x-remote-group': 'dev' }
const base = '/apis/sub.example.test/v1'
const start = `${base}/namespaces/ns/things/a/start`

suite('an aggregated API', () => {
  let serving: TestAuthority
  let proxies: TestAuthority
  let server: AdmissionServer
  let trusted: TestCertificate
  let proxy: FrontProxy = noFrontProxy
  let early: Agent | undefined
  const asked: AggregatedRequest[] = []
  const reviews: SubjectAccessReview['spec'][] = []
  const observed: string[] = []

  const responseKind = { group: 'kubevirt.io', version: 'v1', kind: 'VirtualMachine' }
  const group: AggregatedGroup = {
    group: 'sub.example.test',
    versions: ['v1', 'v1alpha3'],
    resources: [
      {
        resource: 'things',
        subresource: 'start',
        responseKind,
        handlers: {
          PUT: async (question) => {
            asked.push(question)
            if (question.body === 'bug') throw new TypeError('oh')
            if (question.body === 'late') throw conflict({ group: 'kubevirt.io', plural: 'things' }, 'a', 'no')
            return { code: 202, warnings: ['mind the "gap"'] }
          },
        },
      },
      { resource: 'expand', responseKind, handlers: { PUT: async ({ body }) => ({ code: 200, body: { got: body } }) } },
    ],
  }
  const client: Pick<Client, 'create'> = {
    create: async (_, object) => {
      const { spec } = object as SubjectAccessReview
      reviews.push(spec)
      return { status: { allowed: spec.user === 'bob', reason: '' } } as never
    },
  }

  before(async () => {
    ;[serving, proxies] = await Promise.all([createTestAuthority(), createTestAuthority('proxies')])
    trusted = await proxies.issue('front-proxy')
    const { cert: certificate, key } = await serving.issue('virt-api', [], true)
    const tls = { certificate, key }
    const observe = ({ verb, resource, subresource, code }: AggregatedObservation): void => {
      observed.push(`${verb} ${resource}/${subresource} ${code}`)
    }
    server = await startAdmissionServer({
      host: '127.0.0.1',
      port: 0,
      tls: { ...tls, proxyAuthority: '' },
      handlers: {},
      log: silentLogger,
      otherwise: createAggregatedApi({ group, client, proxy: () => proxy, log: silentLogger, observe, bodyLimitBytes: 1_000 }),
    })
    // As in production: the authority is learned after the start, when the front proxy has already
    // connected.
    early = new Agent({ ca: serving.cert, ...trusted, keepAlive: true, maxSockets: 1 })
    assert.equal((await ask('GET', base, { agent: early, headers: asBob })).code, 401)
    server.reloadTls({ ...tls, proxyAuthority: proxies.cert })
    proxy = parseFrontProxy({
      'requestheader-client-ca-file': proxies.cert,
      'requestheader-allowed-names': '[]',
      'requestheader-username-headers': '["X-Remote-User"]',
      'requestheader-group-headers': '["X-Remote-Group"]',
    })
  })
  after(async () => {
    early?.destroy()
    await server[Symbol.asyncDispose]()
  })

  interface Asking {
    /** One to be used again. */
    readonly agent?: Agent | undefined
    readonly certificate?: TestCertificate | undefined
    readonly headers?: Record<string, string | string[]>
    readonly body?: string
  }
  function ask(method: string, path: string, { agent: kept, certificate, headers = {}, body }: Asking): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const agent = kept ?? new Agent({ ca: serving.cert, ...certificate, maxCachedSessions: 0 })
      const sent = request({ host: '127.0.0.1', port: server.port, path, method, headers, agent }, (response) => {
        let text = ''
        response.on('data', (chunk) => (text += String(chunk)))
        response.on('end', () => {
          if (kept === undefined) agent.destroy()
          const { statusCode: code = 0 } = response
          resolve({ code, body: text === '' ? undefined : (JSON.parse(text) as Answer['body']), headers: response.headers })
        })
      })
      sent.on('error', reject)
      sent.end(body)
    })
  }
  const put = (path: string, body = ''): Promise<Answer> => ask('PUT', path, { certificate: trusted, headers: asBob, body })

  suite('answers 401', () => {
    const rows: readonly (readonly [string, () => Promise<Asking>])[] = [
      ['to who comes without a certificate', async () => ({ headers: asBob })],
      ['to who has one of another authority', async () => ({ certificate: await serving.issue('front-proxy'), headers: asBob })],
      [
        'to who has one of an authority of the same name',
        async () => ({ certificate: await (await createTestAuthority('proxies')).issue('front-proxy'), headers: asBob }),
      ],
      ['to a proxy without a user', async () => ({ certificate: trusted })],
      ['to a proxy with an empty user name', async () => ({ certificate: trusted, headers: { 'x-remote-user': '' } })],
    ]
    for (const [name, asking] of rows) {
      test(name, async () => {
        const { code, body } = await ask('PUT', start, await asking())
        assert.deepEqual([code, body?.['reason']], [401, 'Unauthorized'])
        assert.equal((await ask('GET', base, await asking())).code, 401)
      })
    }

    test('to a proxy that does not have the agreed name', async () => {
      const before = proxy
      proxy = { ...proxy, allowedNames: ['front-proxy'] }
      assert.equal((await put(start)).code, 202)
      assert.equal((await ask('PUT', start, { certificate: await proxies.issue('other'), headers: asBob })).code, 401)
      proxy = before
    })

    test('to a session that is resumed without a certificate', async () => {
      const session = await newSession(undefined)
      assert.equal(await codeOfResumed(session), 401)
    })
  })

  test('trusts a proxy that connected before the authority was known', async () => {
    assert.equal((await ask('GET', base, { agent: early, headers: asBob })).code, 200)
  })

  test('identifies a proxy that resumes its TLS session', async () => {
    assert.equal(await codeOfResumed(await newSession(trusted)), 200)
  })

  /** A TLS session as a client caches it. */
  function newSession(certificate: TestCertificate | undefined): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port: server.port, ca: serving.cert, ...certificate })
      socket.once('error', reject)
      socket.once('session', (session: Buffer) => {
        socket.destroy()
        resolve(session)
      })
      socket.write('GET /x HTTP/1.1\r\nhost: x\r\n\r\n')
      socket.resume()
    })
  }

  function codeOfResumed(session: Buffer): Promise<number> {
    return new Promise((resolve, reject) => {
      const socket: TLSSocket = connect({ host: '127.0.0.1', port: server.port, ca: serving.cert, session }, () => {
        assert.ok(socket.isSessionReused(), 'the session is used again, or this test says nothing')
        socket.write(`GET ${base} HTTP/1.1\r\nhost: x\r\nx-remote-user: bob\r\nconnection: close\r\n\r\n`)
      })
      socket.once('error', reject)
      socket.once('data', (data: Buffer) => {
        resolve(Number(String(data).split(' ')[1]))
        socket.destroy()
      })
    })
  }

  test('authorizes each request by SubjectAccessReview', async () => {
    reviews.length = 0
    const refused = await ask('PUT', start, { certificate: trusted, headers: { 'x-remote-user': 'eve', 'x-remote-group': ['a', 'b, c'] } })
    assert.deepEqual([refused.code, refused.body?.['reason']], [403, 'Forbidden'])
    assert.equal((await put(start)).code, 202)
    assert.deepEqual(reviews[0], {
      user: 'eve',
      groups: ['a', 'b, c'],
      extra: {},
      resourceAttributes: {
        group: 'sub.example.test',
        version: 'v1',
        namespace: 'ns',
        name: 'a',
        verb: 'update',
        resource: 'things',
        subresource: 'start',
      },
    })
    assert.equal((await ask('GET', `${base}/namespaces/ns/expand`, { certificate: trusted, headers: asBob })).code, 405)
    assert.deepEqual([reviews.at(-1)?.resourceAttributes?.verb, reviews.at(-1)?.resourceAttributes?.name], ['get', ''])
  })

  test('calls the handler and returns its answer', async () => {
    asked.length = 0
    const { code, body, headers } = await put(start, '{"paused":true}')
    assert.deepEqual([code, body], [202, undefined])
    assert.equal(headers['warning'], String.raw`299 - "mind the \"gap\""`)
    const [question] = asked
    assert.deepEqual(
      [question?.namespace, question?.name, question?.body, question?.caller.username],
      ['ns', 'a', '{"paused":true}', 'bob'],
    )
    assert.deepEqual((await put(`${base}/namespaces/ns/expand`, 'x')).body, { got: 'x' })
  })

  test('distinguishes failures', async () => {
    const rows: readonly (readonly [string, string, number])[] = [
      [start, 'late', 409],
      [start, 'bug', 500],
      [start, 'x'.repeat(1_001), 413],
      [`${base}/namespaces/ns/things/a/stop`, '', 404],
      ['/apis/other.test/v1', '', 404],
    ]
    for (const [path, body, code] of rows) {
      const answer = await put(path, body)
      assert.equal(answer.code, code)
      assert.deepEqual([answer.body?.['kind'], answer.body?.['code']], ['Status', code])
    }
    assert.equal((await ask('DELETE', start, { certificate: trusted, headers: asBob })).code, 405)
  })

  test('labels metrics by known names, never by names from the path', async () => {
    observed.length = 0
    await put(start)
    await put(start, 'bug')
    await put(`${base}/namespaces/ns/expand`, 'x')
    await put(`${base}/namespaces/ns/things/a/invented`)
    await ask('GET', base, { certificate: trusted, headers: asBob })
    await ask('INVENTED', start, { certificate: trusted, headers: asBob }).catch(() => {})
    await ask('DELETE', start, { certificate: trusted, headers: asBob })
    assert.deepEqual(observed, [
      'update things/start 202',
      'update things/start 500',
      'update expand/ 200',
      'update / 404',
      'get / 200',
      'other things/start 405',
    ])
  })

  test('describes itself', async () => {
    const read = async (path: string) => (await ask('GET', path, { certificate: trusted, headers: asBob })).body
    const versions = ['v1', 'v1alpha3'].map((version) => ({ groupVersion: `sub.example.test/${version}`, version }))
    assert.deepEqual(await read('/apis/sub.example.test'), {
      kind: 'APIGroup',
      apiVersion: 'v1',
      name: 'sub.example.test',
      versions,
      preferredVersion: versions[0],
    })
    assert.equal((await read('/apis'))?.['kind'], 'APIGroupList')
    assert.deepEqual(await read(`${base}?timeout=32s`), {
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: 'sub.example.test/v1',
      resources: [
        { name: 'things/start', singularName: '', namespaced: true, ...responseKind, verbs: ['update'] },
        { name: 'expand', singularName: 'expand', namespaced: true, ...responseKind, verbs: ['update'] },
      ],
    })
  })
})
