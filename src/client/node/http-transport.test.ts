import assert from 'node:assert/strict'
import { constants } from 'node:http2'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import test from 'node:test'
import { TransportError } from '../client.ts'
import type { TransportRequest } from '../transport.ts'
import { createTestCertificate } from './certificate.fixture.ts'
import type { Credentials } from './credentials.ts'
import type { HttpTransportConfig } from './http-config.ts'
import { createHttpTransport } from './http-transport.ts'
import { startTestServer } from './test-server.fixture.ts'
import type { TestServer } from './test-server.fixture.ts'

function get(path: string, more: Partial<TransportRequest> = {}): TransportRequest {
  return { method: 'GET', path, headers: {}, streaming: false, ...more }
}

function transportTo(server: TestServer, config: Partial<HttpTransportConfig> = {}) {
  return createHttpTransport({ server: server.url, certificateAuthority: server.certificate, ...config })
}

function isTransportError(error: unknown): boolean {
  return error instanceof TransportError
}

/** Fails when a promise does not settle soon: hanging is the worst bug of a transport. */
async function soon<T>(promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('hangs')), 5_000)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

for (const protocol of ['h2', 'http/1.1'] as const) {
  test(`request() carries bodies, headers and codes over ${protocol}`, async () => {
    await using server = await startTestServer((request, response) => {
      let body = ''
      request.on('data', (chunk) => (body += chunk))
      request.on('end', () => {
        response.writeHead(418, { 'x-one': 'a' })
        response.end(`${request.httpVersion} ${request.method} ${request.url} ${request.headers['x-in'] as string} ${body}`)
      })
    }, protocol)
    using transport = transportTo(server)
    const response = await transport.request({ ...get('/a/b?c=d'), method: 'POST', headers: { 'x-in': '1' }, body: 'grüße' })
    assert.equal(response.status, 418)
    assert.equal(response.headers['x-one'], 'a')
    assert.equal(await response.text(), `${protocol === 'h2' ? '2.0' : '1.1'} POST /a/b?c=d 1 grüße`)
  })

  test(`request() reports a connection that is cut in the middle of a stream over ${protocol}`, async () => {
    await using server = await startTestServer((_request, response) => void response.write('begin'), protocol)
    using transport = transportTo(server)
    const response = await transport.request(get('/', { streaming: true }))
    const reading = (async () => {
      let text = ''
      for await (const chunk of response.body) {
        text += Buffer.from(chunk).toString()
        server.cut()
      }
      return text
    })()
    await assert.rejects(soon(reading), isTransportError)
    const next = await soon(transport.request(get('/', { streaming: true })))
    assert.equal(next.status, 200)
  })

  test(`request() ends with the signal's reason before and after the head over ${protocol}`, async () => {
    let hang = true
    await using server = await startTestServer((_request, response) => {
      if (!hang) response.write('begin')
    }, protocol)
    using transport = transportTo(server)
    const stop = new AbortController()
    const reason = new Error('enough')
    const first = transport.request(get('/', { streaming: true, signal: stop.signal }))
    setTimeout(() => stop.abort(reason), 20)
    await assert.rejects(soon(first), (error) => error === reason)
    hang = false
    const later = new AbortController()
    const response = await transport.request(get('/', { streaming: true, signal: later.signal }))
    const reading = (async () => {
      for await (const _chunk of response.body) later.abort(reason)
    })()
    await assert.rejects(soon(reading), (error) => error === reason)
  })

  test(`request() times out over ${protocol}`, async () => {
    await using server = await startTestServer((_request, response) => void response.write('begin'), protocol)
    using transport = transportTo(server, { requestTimeoutMs: 500 })
    const response = await transport.request(get('/'))
    await assert.rejects(soon(response.text()), isTransportError)
    const stream = await transport.request(get('/', { streaming: true }))
    await new Promise((resolve) => setTimeout(resolve, 700))
    for await (const chunk of stream.body) {
      assert.equal(Buffer.from(chunk).toString(), 'begin', 'a stream may last')
      break
    }
  })

  test(`request() cancels on the server what the caller aborts over ${protocol}`, async () => {
    const closed = Promise.withResolvers<void>()
    await using server = await startTestServer((_request, response) => {
      response.write('begin')
      response.on('close', () => closed.resolve())
    }, protocol)
    using transport = transportTo(server)
    const response = await transport.request(get('/', { streaming: true }))
    for await (const _chunk of response.body) break
    await soon(closed.promise)
  })
}

test('request() uses one connection for many requests and streams at once', async () => {
  await using server = await startTestServer((request, response) => {
    response.write('x')
    if (request.url !== '/stream') setTimeout(() => response.end(), 5)
  })
  using transport = transportTo(server)
  const streams = await Promise.all(Array.from({ length: 50 }, () => transport.request(get('/stream', { streaming: true }))))
  const texts = await Promise.all(Array.from({ length: 50 }, async () => (await transport.request(get('/'))).text()))
  assert.equal(streams.length, 50)
  assert.deepEqual(new Set(texts), new Set(['x']))
  assert.equal(server.connections, 1)
})

test('request() is not blocked by an unread stream', async () => {
  const large = 'x'.repeat(3 << 20)
  await using server = await startTestServer((request, response) => {
    if (request.url === '/stream') response.write(large)
    else response.end(large)
  })
  using transport = transportTo(server)
  await Promise.all(Array.from({ length: 8 }, () => transport.request(get('/stream', { streaming: true }))))
  const response = await transport.request(get('/'))
  assert.equal((await soon(response.text())).length, large.length)
})

test('request() opens another connection when the server allows no more streams on the first', async () => {
  await using server = await startTestServer((_request, response) => void response.write('x'))
  using transport = transportTo(server)
  await (await transport.request(get('/', { streaming: true }))).body[Symbol.asyncIterator]().next()
  for (const session of server.sessions) session.settings({ maxConcurrentStreams: 2 })
  await new Promise((resolve) => setTimeout(resolve, 50))
  for (let i = 0; i < 3; i++) await soon(transport.request(get('/', { streaming: true })))
  assert.equal(server.connections, 2)
})

/** A timer alone may fire before sockets are read, when the machine is busy. */
async function eventLoopTurns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 2))
    await new Promise((resolve) => setImmediate(resolve))
  }
}

test('request() reconnects after the server went away while idle, without the caller noticing', async () => {
  await using server = await startTestServer((_request, response) => void response.end('ok'))
  using transport = transportTo(server)
  for (let i = 0; i < 5; i++) {
    // The cut is not noticed at once: a read may be repeated, a write must wait until the
    // connection is known to be dead.
    const known = i % 2 === 0
    const response = await soon(transport.request(known ? { ...get('/'), method: 'POST', body: '{}' } : get('/')))
    assert.equal(await response.text(), 'ok')
    server.cut()
    if (!known) await eventLoopTurns(10)
  }
  assert.equal(server.connections, 5)
})

test('request() repeats a write that the server refused to begin, and only such a write', async () => {
  let calls = 0
  await using server = await startTestServer((request, response) => {
    calls++
    if (calls === 1) return request.stream.close(constants.NGHTTP2_REFUSED_STREAM)
    if (request.url === '/lost') return request.stream.close(constants.NGHTTP2_INTERNAL_ERROR)
    response.end('ok')
  })
  using transport = transportTo(server)
  const refused = await soon(transport.request({ ...get('/'), method: 'POST', body: '{}' }))
  assert.equal(await refused.text(), 'ok')
  assert.equal(calls, 2)
  await assert.rejects(soon(transport.request({ ...get('/lost'), method: 'POST', body: '{}' })), isTransportError)
  assert.equal(calls, 3)
})

test('request() drains a connection that the server closes, and uses a new one', async () => {
  await using server = await startTestServer((request, response) => {
    if (request.url === '/stream') response.write('x')
    else response.end('ok')
  })
  using transport = transportTo(server)
  const stream = await transport.request(get('/stream', { streaming: true }))
  const chunks = stream.body[Symbol.asyncIterator]()
  await chunks.next()
  for (const session of server.sessions) session.goaway()
  await new Promise((resolve) => setTimeout(resolve, 20))
  const response = await soon(transport.request(get('/')))
  assert.equal(await response.text(), 'ok')
  assert.equal(server.connections, 2)
  await chunks.return?.()
})

test('request() detects an unreachable peer by pings', async () => {
  await using server = await startTestServer((_request, response) => void response.write('begin'))
  using transport = transportTo(server, { pingIntervalMs: 30, pingTimeoutMs: 60 })
  const response = await transport.request(get('/', { streaming: true }))
  const reading = (async () => {
    for await (const _chunk of response.body) server.freeze()
  })()
  await assert.rejects(soon(reading), isTransportError)
  server.thaw()
  const next = await soon(transport.request(get('/', { streaming: true })))
  assert.equal(next.status, 200)
})

test('request() has a time limit for a handshake, and for a closed port', async () => {
  const silent = createServer((socket) => void socket.resume().on('error', () => {}))
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const port = (silent.address() as AddressInfo).port
  using transport = createHttpTransport({ server: `https://127.0.0.1:${port}`, connectTimeoutMs: 50 })
  const failed = await soon(transport.request(get('/')).catch((error: unknown) => error))
  assert.ok(failed instanceof TransportError && failed.unsent)
  await new Promise<void>((resolve) => {
    silent.close(() => resolve())
  })
  const refused = await soon(transport.request(get('/')).catch((error: unknown) => error))
  assert.ok(refused instanceof TransportError && refused.unsent)
})

test('request() trusts only the given authority, unless verification is disabled', async () => {
  await using server = await startTestServer((_request, response) => void response.end('ok'))
  const other = await createTestCertificate('other')
  using strict = createHttpTransport({ server: server.url, certificateAuthority: other.certificate })
  await assert.rejects(soon(strict.request(get('/'))), isTransportError)
  using wrongName = transportTo(server, { serverName: 'other.example' })
  await assert.rejects(soon(wrongName.request(get('/'))), isTransportError)
  using named = transportTo(server, { serverName: 'localhost' })
  assert.equal((await named.request(get('/'))).status, 200)
  using careless = createHttpTransport({ server: server.url, insecureSkipTlsVerify: true })
  assert.equal((await careless.request(get('/'))).status, 200)
})

test('request() refreshes credentials once when the server refuses them', async () => {
  const authorizations: string[] = []
  await using server = await startTestServer((request, response) => {
    const token = request.headers.authorization ?? ''
    authorizations.push(token)
    response.writeHead(token === 'Bearer new' ? 200 : 401)
    response.end()
  })
  let current: Credentials = { bearerToken: 'old' }
  using transport = transportTo(server, {
    credentials: async ({ refresh }) => {
      if (refresh) current = { bearerToken: 'new' }
      return current
    },
  })
  assert.equal((await transport.request(get('/'))).status, 200)
  assert.equal((await transport.request(get('/'))).status, 200)
  assert.deepEqual(authorizations, ['Bearer old', 'Bearer new', 'Bearer new'])
  using stubborn = transportTo(server, { credentials: async () => ({ bearerToken: 'bad' }) })
  assert.equal((await stubborn.request(get('/'))).status, 401)
})

test('request() is refused after the transport was closed, and running requests end', async () => {
  await using server = await startTestServer(() => {})
  const transport = transportTo(server)
  const waiting = transport.request(get('/', { streaming: true }))
  setTimeout(() => transport[Symbol.dispose](), 100)
  await assert.rejects(soon(waiting), isTransportError)
  await assert.rejects(soon(transport.request(get('/'))), isTransportError)
})

test('request() keeps the path of a server behind a prefix', async () => {
  await using server = await startTestServer((request, response) => void response.end(request.url))
  using transport = createHttpTransport({ server: `${server.url}/k8s/clusters/c1/`, certificateAuthority: server.certificate })
  assert.equal(await (await transport.request(get('/version'))).text(), '/k8s/clusters/c1/version')
})
