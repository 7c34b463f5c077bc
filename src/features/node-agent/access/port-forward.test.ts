import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { suite, test } from 'node:test'
import { connectPort } from './port-forward.ts'

suite('connectPort()', () => {
  test('exchanges bytes over TCP', async (t) => {
    const server = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1')
    t.after(() => server.close())
    await once(server, 'listening')
    const stream = await connectPort({ address: '127.0.0.1', port: String((server.address() as AddressInfo).port), protocol: 'tcp' })
    stream.write('hello')
    assert.equal(String((await once(stream, 'data'))[0]), 'hello')
    stream.destroy()
  })

  test('keeps the boundaries of datagrams', async (t) => {
    const server = createSocket('udp4')
    t.after(() => server.close())
    server.on('message', (message, { port, address }) => {
      server.send(message, port, address)
      server.send('again', port, address)
    })
    server.bind(0, '127.0.0.1')
    await once(server, 'listening')
    const stream = await connectPort({ address: '127.0.0.1', port: String(server.address().port), protocol: 'udp' })
    const seen: string[] = []
    const both = new Promise<void>((resolve) => {
      stream.on('data', (chunk: Buffer) => {
        if (seen.push(chunk.toString()) === 2) resolve()
      })
    })
    stream.write('hello')
    await both
    assert.deepEqual(seen, ['hello', 'again'])
    stream.destroy()
  })

  for (const [port, protocol, message] of [
    ['1', 'tcp', /^Internal error occurred: dialing VM: dial tcp 127\.0\.0\.1:1: connect: connection refused/],
    ['0', 'tcp', /dialing VM: dial tcp: address 0: invalid port/],
    ['65536', 'udp', /invalid port/],
    ['ssh', 'tcp', /invalid port/],
    ['22', 'sctp', /unknown network sctp/],
  ] as const)
    test(`refuses ${protocol} port ${port}`, async () => {
      await assert.rejects(connectPort({ address: '127.0.0.1', port, protocol }), { message })
    })
})
