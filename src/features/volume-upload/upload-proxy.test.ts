import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createPlainServer, request as plainRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { after, before, suite, test } from 'node:test'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { notFound } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import { volumeNames } from '#features/data-volume/index.ts'
import { createAuthority, type Authority } from '#runtime/certificates/authority.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { silentLogger } from '#runtime/process/log.ts'
import { createUploadProxy } from './upload-proxy.ts'
import { createUploadTokens } from './upload-tokens.ts'

const lifetime = { nowMs: Date.now(), lifetimeMs: 3_600_000 }
const tokens = createUploadTokens({ keys: () => ['key'], now: () => Date.now() })
const annotations = { [volumeNames.uploadTarget]: '', [volumeNames.podReady]: 'true' }

suite('createUploadProxy()', () => {
  let authority: Authority
  let claim: PersistentVolumeClaim
  let worker: Pod
  let url: string
  const received: { path: string; bytes: number; client: string; headers: IncomingHttpHeaders }[] = []
  let isSlow = false
  let slowBytes = 0
  const closing: (() => void)[] = []

  before(async () => {
    authority = await createAuthority({ commonName: 'test', ...lifetime })
    const clients = await createAuthority({ commonName: 'clients', ...lifetime })
    const serving = await authority.issue({
      subject: 'CN=w',
      usage: 'server',
      names: [{ type: 'dns', value: 'cdi-upload-disk' }],
      ...lifetime,
    })
    const own = await clients.issue({ subject: 'CN=virt-api', usage: 'client', ...lifetime })
    const tls = { cert: serving.certificate, key: serving.key, ca: clients.own.certificate, requestCert: true, rejectUnauthorized: true }
    const server = createServer(tls, (request, response) => {
      void (async () => {
        let bytes = 0
        for await (const chunk of request as AsyncIterable<Buffer>) {
          bytes += chunk.length
          if (!isSlow) continue
          slowBytes = bytes
          if (bytes % (1 << 18) < chunk.length) await new Promise((resolve) => setTimeout(resolve, 20))
        }
        const client = (request.socket as unknown as { getPeerCertificate(): { subject: { CN: string } } }).getPeerCertificate().subject.CN
        received.push({ path: request.url ?? '', bytes, client, headers: request.headers })
        if (request.headers['upload-offset'] !== undefined)
          response.setHeader('upload-offset', Number(request.headers['upload-offset']) + bytes)
        response.writeHead(bytes > 20_000_000 ? 400 : 200).end(bytes > 20_000_000 ? 'too large' : '')
      })().catch(() => {})
    })
    // The address is the worker's own. Its port is always the same.
    server.listen(8443, '127.64.99.7')
    await once(server, 'listening')
    worker = {
      metadata: { name: 'cdi-upload-disk', annotations: { [volumeNames.workerAuthority]: authority.own.certificate } },
      spec: { containers: [] },
      status: { phase: 'Running', podIP: '127.64.99.7' },
    }
    const client: Pick<Client, 'get' | 'list'> = {
      get: (resource, { name }) => (name === 'disk' ? Promise.resolve(claim as never) : Promise.reject(notFound(resource, name))),
      list: () => Promise.resolve({ metadata: {}, items: [worker] as never[] }),
    }
    const proxy = createUploadProxy({
      client,
      tokens,
      certificates: { current: () => ({ certificate: own.certificate, key: own.key, bundle: '' }) },
      clock: systemClock,
      log: silentLogger,
      patienceMs: 0,
    })
    const front = createPlainServer((request, response) => void proxy.serve(request, response))
    front.listen(0, '127.0.0.1')
    await once(front, 'listening')
    url = `http://127.0.0.1:${(front.address() as AddressInfo).port}`
    for (const one of [server, front])
      closing.push(() => {
        one.closeAllConnections()
        one.close()
      })
  })
  after(() => {
    for (const close of closing) close()
  })

  async function post(path: string, authorization: string, bytes: number, method = 'POST', more: object = {}): Promise<string> {
    const sent = plainRequest(`${url}${path}`, { method, headers: authorization === '' ? {} : { authorization, ...more } })
    const answered = once(sent, 'response') as Promise<[AsyncIterable<Buffer> & { statusCode: number }]>
    sent.on('error', () => {})
    sent.end(method === 'POST' ? Buffer.alloc(bytes) : undefined)
    const [response] = await answered
    let text = ''
    for await (const chunk of response) text += chunk.toString()
    return `${response.statusCode} ${text}`.trim()
  }
  const bearer = (name = 'disk'): string => `Bearer ${tokens.sign({ namespace: 'ns', name })}`

  test('passes the bytes on to the worker of the claim, and its answer back', async () => {
    claim = { metadata: { name: 'disk', namespace: 'ns', annotations } }
    assert.equal(await post('/v1beta1/upload', bearer(), 5_000_000), '200')
    const { headers: _, ...last } = received.at(-1) ?? assert.fail()
    assert.deepEqual(last, { path: '/v1beta1/upload', bytes: 5_000_000, client: 'virt-api' })
    assert.equal(await post('/v1beta1/upload-async', bearer(), 0, 'HEAD'), '200')
    assert.equal(await post('/v1beta1/upload', bearer(), 20_000_001), '400 too large')
  })

  test('sends archives to the path of archives', async () => {
    claim = { metadata: { name: 'disk', namespace: 'ns', annotations: { ...annotations, [volumeNames.contentType]: 'archive' } } }
    await post('/v1beta1/upload-async', bearer(), 10)
    assert.equal(received.at(-1)?.path, '/v1beta1/upload-archive')
  })

  test("refuses what has no right, with CDI's codes", async () => {
    const count = received.length
    const codes: string[] = []
    for (const [authorization, metadata] of [
      ['', { annotations }],
      ['Basic YTpi', { annotations }],
      ['Bearer other', { annotations }],
      [bearer('missing'), { annotations }],
      [bearer(), { annotations: {} }],
      [bearer(), { annotations: { ...annotations, [volumeNames.podPhase]: 'Succeeded' } }],
      [bearer(), { annotations: { ...annotations, [volumeNames.podReady]: 'false' } }],
    ] as const) {
      claim = { metadata: { name: 'disk', namespace: 'ns', ...metadata } }
      codes.push((await post('/v1beta1/upload', authorization, 10)).slice(0, 3))
    }
    assert.deepEqual(codes, ['400', '400', '401', '503', '503', '503', '503'])
    const archive = { ...annotations, [volumeNames.contentType]: 'archive' }
    claim = { metadata: { name: 'disk', namespace: 'ns', annotations: archive } }
    assert.match(await post('/v1beta1/upload-form', bearer(), 10), /^400/)
    assert.equal(received.length, count)
  })

  test('answers a client that is still sending over a connection that is not kept', async () => {
    for (let count = 0; count < 20; count += 1) {
      const sent = plainRequest(`${url}/v1beta1/upload`, { method: 'POST', agent: false, headers: { authorization: 'Bearer other' } })
      // Without an error: a relay could not tell it from a server that is gone.
      const failed = once(sent, 'error').then(([error]) => Promise.reject(error as Error))
      const answered = once(sent, 'response') as Promise<[IncomingMessage]>
      sent.end(Buffer.alloc(4_000_000))
      const [response] = await Promise.race([answered, failed])
      failed.catch(() => {})
      assert.equal(response.statusCode, 401)
      response.resume()
      await once(sent, 'close')
    }
  })

  test('passes forms on, and what continues an upload, also to a worker that is busy with it', async () => {
    claim = { metadata: { name: 'disk', namespace: 'ns', annotations } }
    const type = 'multipart/form-data; boundary=x'
    assert.equal(await post('/v1beta1/upload-form', bearer(), 10, 'POST', { 'content-type': type }), '200')
    assert.deepEqual([received.at(-1)?.path, received.at(-1)?.headers['content-type']], ['/v1beta1/upload-form', type])
    const busy = { ...annotations, [volumeNames.podReady]: 'false', [volumeNames.podPhase]: 'Running' }
    claim = { metadata: { name: 'disk', namespace: 'ns', annotations: busy } }
    const more = { 'upload-offset': '7', 'upload-complete': '?1', 'repr-digest': 'sha-256=:x:', cookie: 'mine' }
    const sent = plainRequest(`${url}/v1beta1/upload-async?upload=a:1&other=2`, {
      method: 'PATCH',
      headers: { authorization: bearer(), ...more },
    })
    sent.end('rest')
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    response.resume()
    assert.deepEqual([response.statusCode, response.headers['upload-offset']], [200, '11'])
    const { path, headers } = received.at(-1) ?? assert.fail()
    assert.equal(path, '/v1beta1/upload-async?upload=a%3A1')
    assert.deepEqual(
      [headers['upload-offset'], headers['upload-complete'], headers['repr-digest'], headers.cookie, headers.authorization],
      ['7', '?1', 'sha-256=:x:', undefined, undefined],
    )
  })

  test('lets pages of any origin upload, with the headers that they ask for', async () => {
    const headers = {
      origin: 'https://a.test',
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'authorization,upload-offset',
    }
    const sent = plainRequest(`${url}/v1beta1/upload-async`, { method: 'OPTIONS', headers })
    sent.end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    response.resume()
    const { statusCode, headers: answered } = response
    assert.deepEqual([statusCode, answered['access-control-allow-origin']], [204, '*'])
    assert.match(answered['access-control-allow-methods'] ?? '', /PATCH/)
    assert.equal(answered['access-control-allow-headers'], 'authorization,upload-offset')
    assert.match(answered['access-control-expose-headers'] ?? '', /Upload-Offset/)
  })

  test('a worker that is slower than its client holds the client back', async () => {
    claim = { metadata: { name: 'disk', namespace: 'ns', annotations } }
    const sent = plainRequest(`${url}/v1beta1/upload`, { method: 'POST', headers: { authorization: bearer() } })
    sent.on('error', () => {})
    isSlow = true
    const chunk = Buffer.alloc(1 << 20)
    let taken = 0
    let isOver = false
    void (async () => {
      while (!isOver) {
        await new Promise<void>((resolve) => sent.write(chunk, () => resolve()))
        taken += chunk.length
      }
    })()
    for (let tries = 0; tries < 2400 && slowBytes < 4 << 20; tries++) await new Promise((resolve) => setTimeout(resolve, 25))
    const onTheWay = taken - slowBytes
    isOver = true
    isSlow = false
    sent.destroy()
    assert.ok(slowBytes >= 4 << 20, 'nothing has arrived')
    // Buffers of four sockets and of streams. The client would send without end.
    assert.ok(onTheWay < 48 << 20, `${onTheWay} bytes were on the way`)
  })

  test('answers a client that is still sending', async () => {
    claim = { metadata: { name: 'disk', namespace: 'ns', annotations } }
    for (let round = 0; round < 5; round++) assert.match(await post('/v1beta1/upload', 'Bearer other', 8_000_000), /^401/)
  })

  test('sends nothing to a pod that cannot prove that it is the worker', async () => {
    claim = { metadata: { name: 'disk', namespace: 'ns', annotations } }
    const other = await createAuthority({ commonName: 'other', ...lifetime })
    const trusted = worker
    worker = { ...worker, metadata: { ...worker.metadata, annotations: { [volumeNames.workerAuthority]: other.own.certificate } } }
    const count = received.length
    assert.match(await post('/v1beta1/upload', bearer(), 10), /^502/)
    worker = trusted
    assert.equal(received.length, count)
  })
})
