import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { createServer, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { startTestServer, type TestServer } from '#apiserver/api-server.fixture.ts'
import { createTestAuthority } from '#apiserver/http/tls.fixture.ts'
import type { ServiceEndpoints } from '#apiserver/services/endpoint-finder.ts'
import type { PublishedServer } from './published-paths.ts'

suite('paths of servers that the API server publishes', () => {
  let server: TestServer
  const seen: IncomingMessage[] = []
  let closed = 0
  const backends: ReturnType<typeof createServer>[] = []

  before(async () => {
    const [authority, other] = [await createTestAuthority(), await createTestAuthority()]
    const tls = await authority.issue('web', [], ['web.n.svc'])
    const backend = createServer(tls, (incoming, response) => {
      seen.push(incoming)
      response.once('close', () => (closed += 1))
      if (incoming.url === '/endless') return void response.writeHead(200).write('x')
      if (incoming.url === '/refused') return void response.writeHead(401).end('no')
      if (incoming.method === 'POST')
        return void incoming.toArray().then((chunks) => response.writeHead(200).end(String(Buffer.concat(chunks as Buffer[]).length)))
      response.writeHead(206, { 'content-range': 'bytes 0-1/9' }).end('ok')
    })
    backend.listen(0, '127.0.0.1')
    await once(backend, 'listening')
    backends.push(backend)
    const address = { host: '127.0.0.1', port: (backend.address() as AddressInfo).port }
    const find: PublishedServer['find'] = async (url) => {
      const rest = url.slice('/api/open'.length)
      if (rest === '/unknown') return { code: 404, text: 'unknown' }
      const [service, authorities] = rest === '/away' ? ['away', authority.cert] : ['web', rest === '/forged' ? other.cert : authority.cert]
      return { namespace: 'n', service, port: 443, url: rest, authorities }
    }
    const published: readonly PublishedServer[] = [
      { path: /^\/api\/open\//, methods: ['GET', 'HEAD'], limit: 3, takesAuthorization: false, find },
      { path: /^\/api\/send\//, methods: ['POST'], limit: 3, takesAuthorization: true, find },
    ]
    const endpoints = (_namespace: string, name: string): ServiceEndpoints =>
      name === 'web' ? { kind: 'ready', addresses: [address] } : { kind: 'no-endpoints' }
    server = await startTestServer({ published, endpoints })
  })
  after(async () => {
    await server[Symbol.asyncDispose]()
    for (const backend of backends) backend.close()
  })

  /** Asks as a client without an account. */
  const open = async (path: string, method = 'GET', headers: Record<string, string> = {}, body = ''): Promise<IncomingMessage> => {
    const sent = request({ host: '127.0.0.1', port: server.server.port, path, method, headers, ca: server.authority.cert, agent: false })
    sent.on('error', () => {})
    sent.end(body)
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    return response
  }
  const codeOf = async (...args: Parameters<typeof open>): Promise<number | undefined> => {
    const response = await open(...args)
    response.resume()
    return response.statusCode
  }

  test('lead to a server with a certificate of its own authority, without the credentials of clients', async () => {
    const response = await open('/api/open/a/b%20c?token=t', 'GET', {
      authorization: 'Bearer bob-token',
      range: 'bytes=0-1',
      'x-own': 'yes',
    })
    assert.deepEqual([response.statusCode, response.headers['content-range']], [206, 'bytes 0-1/9'])
    assert.equal(Buffer.concat((await response.toArray()) as Buffer[]).toString(), 'ok')
    const { url, headers } = seen.at(-1) ?? assert.fail('nothing has arrived')
    assert.deepEqual(
      [url, headers.host, headers['range'], headers['x-own'], headers.authorization],
      ['/a/b%20c?token=t', 'web.n.svc', 'bytes=0-1', 'yes', undefined],
    )
    assert.equal(await codeOf('/api/open/a', 'HEAD'), 206)
  })

  test('answer what leads nowhere, and lead to no server that is not the right one', async () => {
    const before = seen.length
    const rows = [
      ['/api/open/unknown', 'GET', 404],
      ['/api/open/away', 'GET', 503],
      ['/api/open/forged', 'GET', 503],
      ['/api/open/a', 'POST', 405],
      // Not published: the API server itself, which knows no such client.
      ['/api/openly', 'GET', 403],
    ] as const
    for (const [path, method, code] of rows) {
      const got = await codeOf(path, method)
      assert.ok(got === code || (code === 403 && got === 401), `${path}: ${got}`)
    }
    assert.equal(seen.length, before)
  })

  test('take bodies of any framing, with the credentials of those who prove themselves by them', async () => {
    const authorization = 'Bearer t'
    const body = 'x'.repeat(3_000_000)
    for (const headers of [{ authorization }, { authorization, 'content-length': String(body.length) }]) {
      const response = await open('/api/send/a', 'POST', headers, body)
      assert.equal(String(Buffer.concat((await response.toArray()) as Buffer[])), String(body.length))
      assert.equal(seen.at(-1)?.headers.authorization, authorization)
    }
    // The answer arrives although the server has not read the body.
    const refused = await open('/api/send/refused', 'POST', { authorization }, body)
    assert.deepEqual([refused.statusCode, String(Buffer.concat((await refused.toArray()) as Buffer[]))], [401, 'no'])
  })

  test('are limited, each for itself', async () => {
    const held: IncomingMessage[] = []
    for (let count = 0; count < 3; count++) held.push(await open('/api/open/endless'))
    const refused = await open('/api/open/a')
    assert.deepEqual([refused.statusCode, refused.headers['retry-after']], [503, '1'])
    assert.match(String(Buffer.concat((await refused.toArray()) as Buffer[])), /too many/)
    assert.equal(await codeOf('/api/send/a', 'POST'), 200)
    for (const response of held) response.destroy()
    let code: number | undefined
    for (let tries = 0; tries < 400 && code !== 206; tries++) code = await codeOf('/api/open/a')
    assert.equal(code, 206)
  })

  test('end with the client', async () => {
    const before = closed
    const response = await open('/api/open/endless')
    await once(response, 'readable')
    response.destroy()
    for (let tries = 0; tries < 12_000 && closed === before; tries++) await new Promise((resolve) => setTimeout(resolve, 5))
    assert.equal(closed, before + 1)
  })
})
