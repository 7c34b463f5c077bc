import assert from 'node:assert/strict'
import { once } from 'node:events'
import { suite, test } from 'node:test'
import { duplexPair } from 'node:stream'
import fc from 'fast-check'
import { controlFrame, controlTypes, finFlag, numbersFrame, resetCodes, type SpdyFrame } from './frames.ts'
import { createSpdyTestClient } from './spdy-client.fixture.ts'
import { serveSpdy } from './spdy-connection.ts'
import type { SpdyStream } from './spdy-stream.ts'

const isControl = (frame: SpdyFrame, type: number): boolean => frame.kind === 'control' && frame.type === type
const resetsIn = (frames: readonly SpdyFrame[]): number[][] =>
  frames
    .filter((frame) => isControl(frame, controlTypes.rstStream))
    .map(({ payload }) => [payload.readUInt32BE(0), payload.readUInt32BE(4)])

suite('serveSpdy()', () => {
  test('carries both directions of a stream, with separate ends', async () => {
    const client = createSpdyTestClient()
    const streams: SpdyStream[] = []
    serveSpdy(client.server, (stream) => streams.push(stream))
    await client.open(1, { streamtype: 'data', port: '80' })
    await client.open(3, { streamtype: 'error' })
    client.send(1, 'one ')
    client.send(3, 'other')
    client.send(1, 'two', true)
    await client.until(() => client.frames.filter((frame) => isControl(frame, controlTypes.synReply)).length === 2)
    const [first, second] = streams
    assert.ok(first !== undefined && second !== undefined)
    assert.equal(first.headers.get('port'), '80')
    // Not by `for await`, which would destroy both directions.
    let said = ''
    first.on('data', (chunk: Buffer) => (said += chunk.toString()))
    await once(first, 'end')
    assert.equal(said, 'one two')
    first.end('answer')
    await client.until(() => client.frames.some((frame) => frame.kind === 'data' && frame.streamId === 1 && frame.flags === finFlag))
    assert.equal(client.received(1), 'answer')
    second.destroy()
    await client.until(() => resetsIn(client.frames).length > 0)
    assert.deepEqual(resetsIn(client.frames), [[3, resetCodes.cancel]])
    client.transport.destroy()
  })

  test('answers pings, skips unknown frames, and refuses stream IDs out of order', async () => {
    const client = createSpdyTestClient()
    serveSpdy(client.server, () => {})
    client.transport.write(controlFrame(77, 0, Buffer.from('whatever')))
    await client.open(5, {})
    await client.open(3, {})
    await client.open(8, {})
    client.transport.write(numbersFrame(controlTypes.ping, 9))
    await client.until(() => client.frames.some((frame) => isControl(frame, controlTypes.ping)))
    assert.deepEqual(resetsIn(client.frames), [
      [3, resetCodes.protocolError],
      [8, resetCodes.protocolError],
    ])
    client.transport.destroy()
  })

  test('sends without limit to clients without a window, and within the window of others', async () => {
    const client = createSpdyTestClient()
    const streams: SpdyStream[] = []
    serveSpdy(client.server, (stream) => streams.push(stream))
    await client.open(1, {})
    await client.until(() => streams.length === 1)
    streams[0]?.write(Buffer.alloc(200_000))
    await client.until(() => client.received(1).length === 200_000)

    const settings = Buffer.alloc(12)
    settings.writeUInt32BE(1, 0)
    settings.writeUInt32BE(7, 4)
    settings.writeUInt32BE(1_000, 8)
    client.transport.write(controlFrame(controlTypes.settings, 0, settings))
    await client.open(3, {})
    await client.until(() => streams.length === 2)
    streams[1]?.write(Buffer.alloc(3_000))
    await client.until(() => client.received(3).length === 1_000)
    client.transport.write(numbersFrame(controlTypes.ping, 1))
    await client.until(() => client.frames.some((frame) => isControl(frame, controlTypes.ping)))
    assert.equal(client.received(3).length, 1_000)
    client.transport.write(numbersFrame(controlTypes.windowUpdate, 3, 5_000))
    await client.until(() => client.received(3).length === 3_000)
    client.transport.write(numbersFrame(controlTypes.windowUpdate, 3, 0x7fff_ffff))
    await client.until(() => resetsIn(client.frames).length > 0)
    assert.deepEqual(resetsIn(client.frames), [[3, resetCodes.flowControlError]])
    client.transport.destroy()
  })

  test('sends window updates for consumed data, and stops reading without a consumer', async () => {
    const client = createSpdyTestClient()
    const streams: SpdyStream[] = []
    serveSpdy(client.server, (stream) => streams.push(stream))
    await client.open(1, {})
    await client.until(() => streams.length === 1)
    let taken = 0
    for (let sent = 0; sent < 100; sent++) client.transport.write(Buffer.concat([dataOf(1, 64 * 1024)]), (error) => error ?? (taken += 1))
    const [stream] = streams
    assert.ok(stream !== undefined)
    await once(stream, 'readable')
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
    assert.ok(taken < 20, `${taken} frames were taken`)
    assert.ok(stream.readableLength < 1024 * 1024)
    stream.resume()
    await client.until(() => taken === 100 && client.frames.some((frame) => isControl(frame, controlTypes.windowUpdate)))
    client.transport.destroy()
  })

  test('ends without an exception for any bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 60 })), fc.boolean(), async (chunks, framed) => {
        const [client, server] = duplexPair()
        client.on('error', () => {}).resume()
        const connection = serveSpdy(server, (stream) => stream.resume().end('x'))
        for (const [index, chunk] of chunks.entries())
          client.write(framed ? controlFrame(index % 10, index % 3, Buffer.from(chunk)) : Buffer.from(chunk))
        client.end()
        await connection.closed
      }),
    )
  })

  test('destroys the streams when the client disconnects', async () => {
    const client = createSpdyTestClient()
    const streams: SpdyStream[] = []
    const connection = serveSpdy(client.server, (stream) => streams.push(stream))
    await client.open(1, {})
    await client.until(() => streams.length === 1)
    client.transport.destroy()
    client.server.destroy()
    await connection.closed
    assert.equal(streams[0]?.destroyed, true)
  })
})

function dataOf(id: number, size: number): Buffer {
  const frame = Buffer.alloc(8 + size)
  frame.writeUInt32BE(id, 0)
  frame.writeUInt32BE(size, 4)
  return frame
}
