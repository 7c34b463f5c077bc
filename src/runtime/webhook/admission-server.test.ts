import assert from 'node:assert/strict'
import { Agent, request } from 'node:https'
import { once } from 'node:events'
import test from 'node:test'
import { connect, type TLSSocket } from 'node:tls'
import { invalid } from '#apimachinery/errors.ts'
import type { AdmissionRequest, AdmissionReview } from '#api/admission/v1/admission-review.ts'
import { createTestCertificate } from '#client/node/certificate.fixture.ts'
import { silentLogger } from '../process/log.ts'
import { startAdmissionServer } from './admission-server.ts'
import type { AdmissionServerOptions } from './admission-server.ts'

interface Answer {
  readonly code: number
  readonly body: AdmissionReview
  /** Common name of the server's certificate. */
  readonly server: string | string[] | undefined
}

function post(port: number, ca: string, path: string, body: string, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port,
      path,
      method: 'POST',
      ca,
      agent: new Agent({ ca }),
      headers: { 'content-type': 'application/json', ...headers },
    }
    const sent = request(options, (response) => {
      const server = (response.socket as TLSSocket).getPeerCertificate().subject.CN
      let text = ''
      response.on('data', (chunk) => (text += String(chunk)))
      response.on('end', () => resolve({ code: response.statusCode ?? 0, body: JSON.parse(text) as AdmissionReview, server }))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

function review(uid: string, object: object): string {
  const kind = { group: '', version: 'v1', kind: 'Pod' }
  const resource = { group: '', version: 'v1', resource: 'pods' }
  const request = { uid, operation: 'CREATE', kind, resource, userInfo: {}, object }
  return JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request })
}

async function start(more: Partial<AdmissionServerOptions> = {}) {
  const tls = await createTestCertificate('first')
  const requests: AdmissionRequest[] = []
  const observed: string[] = []
  const server = await startAdmissionServer({
    host: '127.0.0.1',
    port: 0,
    tls,
    log: silentLogger,
    handlers: {
      '/mutate': async (question) => {
        requests.push(question)
        return { allowed: true, patch: [{ op: 'add', path: '/spec/größe', value: 1 }], warnings: ['mind the gap'] }
      },
      '/validate': async () => {
        throw invalid({ group: 'kubevirt.io', kind: 'VirtualMachine' }, 'a', [
          { reason: 'FieldValueInvalid', field: 'spec.x', message: 'no' },
        ])
      },
      '/broken': async () => {
        throw new TypeError('bug')
      },
    },
    observe: ({ path, code }) => observed.push(`${path} ${code}`),
    ...more,
  })
  return { server, tls, requests, observed, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

test('startAdmissionServer() answers with patches and warnings', async () => {
  await using run = await start()
  const { code, body } = await post(run.server.port, run.tls.certificate, '/mutate?timeout=10s', review('u1', { spec: {} }))
  assert.equal(code, 200)
  assert.equal(body.kind, 'AdmissionReview')
  const { uid, allowed, patch, patchType, warnings } = body.response ?? {}
  assert.deepEqual([uid, allowed, patchType, warnings], ['u1', true, 'JSONPatch', ['mind the gap']])
  assert.deepEqual(JSON.parse(Buffer.from(patch ?? '', 'base64').toString()), [{ op: 'add', path: '/spec/größe', value: 1 }])
  assert.deepEqual(run.requests[0]?.object, { spec: {} })
})

test('startAdmissionServer() turns a StatusError into a refusal with its causes, and a bug into 500', async () => {
  await using run = await start()
  const { code, body } = await post(run.server.port, run.tls.certificate, '/validate', review('u2', {}))
  assert.equal(code, 200)
  assert.equal(body.response?.allowed, false)
  assert.equal(body.response.status?.code, 422)
  assert.equal(body.response.status.reason, 'Invalid')
  assert.deepEqual(body.response.status.details?.causes, [{ reason: 'FieldValueInvalid', field: 'spec.x', message: 'no' }])
  assert.equal((await post(run.server.port, run.tls.certificate, '/broken', review('u3', {}))).code, 500)
  assert.deepEqual(run.observed, ['/validate 200', '/broken 500'])
})

test('startAdmissionServer() refuses a body that is no review', async () => {
  await using run = await start({ bodyLimitBytes: 1_000 })
  const cases = [
    { path: '/mutate', body: 'nonsense', code: 400 },
    { path: '/mutate', body: 'null', code: 400 },
    { path: '/mutate', body: '{"kind":"Pod","apiVersion":"v1"}', code: 400 },
    { path: '/mutate', body: '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1beta1","request":{"uid":"x"}}', code: 400 },
    { path: '/mutate', body: '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}', code: 400 },
    { path: '/mutate', body: review('u', { big: 'x'.repeat(2_000) }), code: 413 },
    { path: '/none', body: review('u', {}), code: 404 },
    { path: '/constructor', body: review('u', {}), code: 404 },
  ]
  for (const { path, body, code } of cases) {
    assert.equal((await post(run.server.port, run.tls.certificate, path, body)).code, code, `${path} ${body.slice(0, 80)}`)
    assert.equal(run.observed.at(-1), `${code === 404 ? '' : path} ${code}`)
  }
  const typed = await post(run.server.port, run.tls.certificate, '/mutate', review('u', {}), { 'content-type': 'text/plain' })
  assert.equal(typed.code, 415)
  assert.equal(run.requests.length, 0)
})

test('startAdmissionServer() answers 400 with the field to every malformed review, and 500 only to a bug', async () => {
  const pod = { type: 'object', properties: { spec: { type: 'object', properties: { names: { type: 'array' } } } } } as const
  await using run = await start({
    handlers: {
      // Like most handlers, it relies on validation by the API server.
      '/trusting': async ({ object }) => {
        const names = (object as { spec: { names: string[] } }).spec.names
        names.forEach((name) => name.trim())
        return { allowed: true }
      },
    },
    schemaOf: async ({ kind }) => (kind === 'Pod' ? pod : undefined),
  })
  const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { names: [] } }
  const good = {
    uid: 'u',
    operation: 'CREATE',
    kind: { group: '', version: 'v1', kind: 'Pod' },
    resource: { group: '', version: 'v1', resource: 'pods' },
    userInfo: {},
    object,
  }
  const ask = async (request: object): Promise<[number, string]> => {
    const body = JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request })
    const answer = await post(run.server.port, run.tls.certificate, '/trusting', body)
    return [answer.code, (answer.body as { message?: string }).message ?? '']
  }
  assert.deepEqual(await ask(good), [200, ''])
  for (const [change, field] of [
    [{ uid: 5 }, 'request.uid'],
    [{ operation: 'PATCH' }, 'request.operation'],
    [{ operation: undefined }, 'request.operation'],
    [{ kind: 'Pod' }, 'request.kind'],
    [{ kind: { kind: 'Pod' } }, 'request.kind.group'],
    [{ resource: null }, 'request.resource'],
    [{ userInfo: 'root' }, 'request.userInfo'],
    [{ userInfo: { groups: 'all' } }, 'request.userInfo.groups'],
    [{ name: 5 }, 'request.name'],
    [{ dryRun: 'yes' }, 'request.dryRun'],
    [{ object: undefined }, 'request.object'],
    [{ object: null }, 'request.object'],
    [{ object: [] }, 'request.object'],
    [{ object: { ...object, metadata: 'x' } }, 'request.object.metadata'],
    [{ object: { ...object, kind: 5 } }, 'request.object.kind'],
    [{ operation: 'UPDATE' }, 'request.oldObject'],
    [{ operation: 'DELETE', object: null }, 'request.oldObject'],
    [{ object: { ...object, spec: { names: 5 } } }, 'request.object.spec.names'],
  ] as const) {
    const [code, message] = await ask({ ...good, ...change })
    assert.equal(code, 400, JSON.stringify(change))
    assert.ok(message.includes(field), `${JSON.stringify(change)}: ${message}`)
  }
  // Valid by the schema, so the handler is wrong and not the client.
  assert.equal((await ask({ ...good, object: { ...object, spec: {} } }))[0], 500)
})

test('reloadTls() changes the certificate without a restart', async () => {
  await using run = await start()
  const second = await createTestCertificate('second')
  assert.equal((await post(run.server.port, run.tls.certificate, '/mutate', review('u', {}))).server, 'first')
  run.server.reloadTls(second)
  assert.equal((await post(run.server.port, second.certificate, '/mutate', review('u', {}))).server, 'second')
})

test('reloadTls() changes the oldest protocol version, also for connections from before', async () => {
  await using run = await start()
  const { port } = run.server
  const protocol = (): Promise<string> =>
    new Promise((resolve) => {
      const socket = connect({ port, ca: run.tls.certificate, servername: 'first', maxVersion: 'TLSv1.2' }, () => {
        resolve(socket.getProtocol() ?? '')
        socket.destroy()
      })
      socket.once('error', () => resolve('refused'))
    })
  assert.equal(await protocol(), 'TLSv1.2')
  const idle = connect({ port, ca: run.tls.certificate, servername: 'first' })
  await once(idle, 'secureConnect')
  run.server.reloadTls({ ...run.tls, limits: { minVersion: 'TLSv1.3' } })
  assert.equal(await protocol(), 'refused')
  idle.write(`GET / HTTP/1.1\r\nhost: a\r\n\r\n`)
  // The server ends the connection with its answer.
  await once(idle.resume(), 'end')
  run.server.reloadTls(run.tls)
  assert.equal(await protocol(), 'TLSv1.2')
})

test('disposing of the server lets running reviews finish', async () => {
  const gate = Promise.withResolvers<void>()
  const run = await start({
    handlers: {
      '/slow': async () => {
        await gate.promise
        return { allowed: true }
      },
    },
  })
  const asked = post(run.server.port, run.tls.certificate, '/slow', review('u', {}))
  await new Promise((resolve) => setTimeout(resolve, 50))
  const closed = run[Symbol.asyncDispose]()
  gate.resolve()
  assert.equal((await asked).body.response?.allowed, true)
  await closed
})

test('startAdmissionServer() converts objects, all of a review or none', async () => {
  await using run = await start({
    converters: {
      '/convert': (object, apiVersion) => {
        if (object.kind === 'Unknown') throw new Error('of no kind that is known')
        return { ...object, apiVersion }
      },
    },
  })
  const ask = (...kinds: string[]): Promise<Answer> => {
    const request = { uid: 'u1', desiredAPIVersion: 'a/v2', objects: kinds.map((kind) => ({ apiVersion: 'a/v1', kind })) }
    const question = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', request }
    return post(run.server.port, run.tls.certificate, '/convert?timeout=30s', JSON.stringify(question))
  }
  const answers = await Promise.all([ask('A', 'B'), ask('A', 'Unknown')])
  assert.deepEqual(
    answers.map(({ code, body }) => [code, body.kind, body.response]),
    [
      [
        200,
        'ConversionReview',
        {
          uid: 'u1',
          convertedObjects: ['A', 'B'].map((kind) => ({ apiVersion: 'a/v2', kind })),
          result: { status: 'Success' },
        },
      ],
      [200, 'ConversionReview', { uid: 'u1', result: { status: 'Failed', message: 'of no kind that is known' } }],
    ],
  )
  for (const body of ['{', '{}', 'null', review('u1', {})]) {
    assert.equal((await post(run.server.port, run.tls.certificate, '/convert', body)).code, 400)
  }
  assert.deepEqual(run.observed.slice(0, 2), ['/convert 200', '/convert 200'])
})
