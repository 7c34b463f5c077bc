import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { after, before, suite, test } from 'node:test'
import { connect, type TLSSocket } from 'node:tls'
import type { Exchange } from './exchange.ts'
import { listen, type Listener } from './listener.ts'
import { createTestAuthority, type TestAuthority } from './tls.fixture.ts'

suite('listen()', () => {
  let authority: TestAuthority
  let listener: Listener
  const answered: Exchange[] = []

  before(async () => {
    authority = await createTestAuthority()
    const serving = await authority.issue('apiserver', [], true)
    listener = await listen({
      host: '127.0.0.1',
      port: 0,
      tls: { ...serving, clientCa: authority.cert },
      handle(exchange) {
        answered.push(exchange)
        exchange.open(200, {}).write(Buffer.from('begun'))
      },
      upgrades: { accepts: () => false, handle: () => {} },
      headMs: 200,
    })
  })
  after(() => listener.close(0))

  const dial = async (text: string): Promise<TLSSocket> => {
    const socket = connect({ host: '127.0.0.1', port: listener.port, ca: authority.cert, ALPNProtocols: ['http/1.1'] })
    socket.on('error', () => {})
    socket.resume()
    await once(socket, 'secureConnect')
    if (text !== '') socket.write(text)
    return socket
  }

  for (const text of ['', 'GET /version HTTP/1.1\r\nhost: x\r\n'])
    test(`closes a connection that sends only ${JSON.stringify(text)}`, async () => {
      await once(await dial(text), 'close')
    })
  test('closes an HTTP/2 connection without requests', async () => {
    const session = connectHttp2(`https://127.0.0.1:${listener.port}`, { ca: authority.cert })
    session.on('error', () => {})
    await once(session, 'close')
  })
  test('keeps connections with a request in progress', async () => {
    const asking = await dial('GET /version HTTP/1.1\r\nhost: x\r\n\r\n')
    const session = connectHttp2(`https://127.0.0.1:${listener.port}`, { ca: authority.cert })
    session.on('error', () => {})
    const stream = session.request({ ':path': '/version' })
    await once(stream, 'response')
    // Two silent connections bound the time in which the others would have been closed.
    for (let round = 0; round < 2; round++) await once(await dial(''), 'close')
    assert.deepEqual([asking.closed, session.closed, answered.length], [false, false, 2])
    asking.destroy()
    session.destroy()
  })
})
