import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import { WebSocket, WebSocketServer } from 'ws'
import { connectStream } from './stream.ts'
import { StreamSessions } from './stream-sessions.ts'

/** A stream of QEMU, and clients that connect to it through sessions. */
async function serve(t: TestContext, mayDrop: boolean) {
  const directory = await mkdtemp(join(tmpdir(), 'streams-'))
  const path = join(directory, 'serial')
  const guests: Socket[] = []
  const guest = createServer((socket) => void guests.push(socket)).listen(path)
  await once(guest, 'listening')
  const sessions = new StreamSessions()
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false })
  server.on('connection', (client) => {
    void sessions.begin('web/console').then(async (session) => session.run(client, await connectStream(path), { mayDrop }))
  })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  t.after(async () => {
    for (const socket of guests) socket.destroy()
    for (const client of server.clients) client.terminate()
    guest.close()
    server.close()
    await rm(directory, { recursive: true, force: true })
  })
  const dial = async (): Promise<WebSocket> => {
    const before = guests.length
    const client = new WebSocket(`ws://127.0.0.1:${port}`)
    client.on('error', () => {})
    await once(client, 'open')
    while (guests.length === before) await new Promise((resolve) => setTimeout(resolve, 5))
    return client
  }
  return { dial, sessions, guest: () => guests.at(-1) as Socket }
}

/** Collects what a client receives until it ends with a text. */
function received(client: WebSocket, end: string): Promise<string> {
  let text = ''
  return new Promise((resolve) => {
    client.on('message', (data: Buffer) => {
      text += data.toString('latin1')
      if (text.endsWith(end)) resolve(text)
    })
  })
}

suite('streams of guests', () => {
  test('carry bytes in both directions, and ignore text messages', async (t) => {
    const { dial, guest } = await serve(t, true)
    const client = await dial()
    const answer = received(client, 'pong')
    client.send('text')
    client.send(Buffer.from('ping'))
    assert.equal(String((await once(guest(), 'data'))[0]), 'ping')
    guest().write('pong')
    assert.equal(await answer, 'pong')
    guest().end()
    const [code] = (await once(client, 'close')) as [number]
    assert.equal(code, 1000)
  })

  test('have one client: a new one ends the session of the other, and says why', async (t) => {
    const { dial, guest, sessions } = await serve(t, true)
    const first = await dial()
    const closed = once(first, 'close')
    const second = await dial()
    const [code, reason] = (await closed) as [number, Buffer]
    assert.deepEqual([code, String(reason)], [1008, 'another client has connected'])
    const answer = received(second, 'hello')
    guest().write('hello')
    assert.equal(await answer, 'hello')
    second.close()
    while (sessions.has('web/console')) await new Promise((resolve) => setTimeout(resolve, 5))
  })

  test('end with the node agent', async (t) => {
    const { dial, sessions } = await serve(t, true)
    const client = await dial()
    sessions.closeAll('the node agent ends')
    const [code, reason] = (await once(client, 'close')) as [number, Buffer]
    assert.deepEqual([code, String(reason)], [1001, 'the node agent ends'])
  })

  const size = 48 << 20
  const flood = async (socket: Socket): Promise<void> => {
    const chunk = Buffer.alloc(1 << 20, 'x')
    for (let sent = 0; sent < size; sent += chunk.length) if (!socket.write(chunk)) await once(socket, 'drain')
  }

  test('leave out output of a console that a slow client does not read: the guest does not wait', async (t) => {
    const { dial, guest } = await serve(t, true)
    const client = await dial()
    client.pause()
    await flood(guest())
    const all = received(client, 'end')
    client.resume()
    // The note comes with the next output once the client reads again.
    const more = setInterval(() => guest().write('.'), 20)
    const noted = new Promise<void>((resolve) => {
      client.on('message', (data: Buffer) => String(data).includes('bytes of output left out') && resolve())
    })
    await noted
    clearInterval(more)
    guest().write('end')
    assert.ok((await all).length < size)
  })

  test('keep every byte of a display: its server waits for the client', async (t) => {
    const { dial, guest } = await serve(t, false)
    const client = await dial()
    client.pause()
    const flooded = flood(guest())
    await new Promise((resolve) => setTimeout(resolve, 100))
    let count = 0
    const complete = new Promise<void>((resolve) => {
      client.on('message', (data: Buffer) => {
        count += data.length
        if (count === size) resolve()
      })
    })
    client.resume()
    await Promise.all([flooded, complete])
  })
})
