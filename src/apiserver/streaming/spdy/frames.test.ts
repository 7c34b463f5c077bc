import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { constants, deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { headerDictionary } from './dictionary.ts'
import { controlFrame, dataFrame, readFrames, type SpdyFrame, SpdyError } from './frames.ts'
import { createHeaderReader, createHeaderWriter } from './header-block.ts'
import { headerBytes } from './spdy-client.fixture.ts'

async function* piecesOf(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let start = 0
  for (let index = 0; start < bytes.length; index++) {
    const size = sizes[index % Math.max(1, sizes.length)] ?? bytes.length
    yield bytes.subarray(start, start + size)
    start += size
  }
}

async function readAll(bytes: Uint8Array, sizes: readonly number[] = []): Promise<SpdyFrame[]> {
  const found: SpdyFrame[] = []
  for await (const frame of readFrames(piecesOf(bytes, sizes))) found.push({ ...frame, payload: Buffer.from(frame.payload) })
  return found
}

const payload = fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes))
const flags = fc.nat(255)
const anyFrame: fc.Arbitrary<SpdyFrame> = fc.oneof(
  fc.record({ kind: fc.constant('data' as const), streamId: fc.nat(0x7fff_ffff), flags, payload }, { noNullPrototype: true }),
  fc.record({ kind: fc.constant('control' as const), type: fc.nat(0xffff), flags, payload }, { noNullPrototype: true }),
)

function encode(frame: SpdyFrame): Buffer {
  return frame.kind === 'data'
    ? dataFrame(frame.streamId, frame.flags, frame.payload)
    : controlFrame(frame.type, frame.flags, frame.payload)
}

suite('SPDY frames', () => {
  test('are decoded as sent, for any chunks', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyFrame, { maxLength: 10 }), fc.array(fc.integer({ min: 1, max: 40 })), async (frames, sizes) => {
        assert.deepEqual(await readAll(Buffer.concat(frames.map(encode)), sizes), frames)
      }),
    )
  })

  test('decode to frames or a SpdyError for any bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 100 }), async (bytes) => {
        await readAll(bytes).catch((error: unknown) => assert.ok(error instanceof SpdyError))
      }),
    )
  })

  for (const [what, bytes] of [
    ['another version', Buffer.from([0x80, 2, 0, 6, 0, 0, 0, 0])],
    ['a frame of 16 MiB', Buffer.from([0, 0, 0, 1, 0, 0xff, 0xff, 0xff])],
    ['an end in the middle', Buffer.from([0x80, 3, 0, 6, 0, 0, 0, 4, 1])],
  ] as const) {
    test(`refuse ${what}`, () => assert.rejects(readAll(bytes), SpdyError))
  }
})

suite('SPDY header blocks', () => {
  const pack = (block: Uint8Array): Buffer => deflateSync(block, { dictionary: headerDictionary, finishFlush: constants.Z_SYNC_FLUSH })

  test('are compressed with the dictionary of SPDY/3', () => {
    assert.equal(headerDictionary.length, 1423)
    // Bytes 2 to 6 of a stream with a dictionary are its checksum.
    assert.equal(pack(new Uint8Array(4)).readUInt32BE(2), 0xe3c6a7c2)
  })

  test('are decoded as encoded', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.stringMatching(/^[a-z-]{1,20}$/), fc.stringMatching(/^[\w ./]{0,60}$/)), async (headers) => {
        using reader = createHeaderReader()
        assert.deepEqual([...(await reader.read(pack(headerBytes(headers))))], Object.entries(headers))
      }),
      { numRuns: 50 },
    )
  })

  test('of this server can be decoded one after the other', async () => {
    const writer = createHeaderWriter()
    using reader = createHeaderReader()
    for (let block = 0; block < 3; block++) assert.equal((await reader.read(writer.empty())).size, 0)
  })

  test('decode to headers or a SpdyError for any bytes, and to nothing after an error', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 60 }), fc.boolean(), async (bytes, packed) => {
        using reader = createHeaderReader()
        const block = packed ? pack(bytes) : bytes
        await reader.read(block).catch((error: unknown) => assert.ok(error instanceof SpdyError))
      }),
    )
  })

  test('that decompress beyond the limit are refused', async () => {
    using reader = createHeaderReader()
    await assert.rejects(reader.read(pack(Buffer.alloc(10_000_000))), /more than 65536 bytes/)
  })
})
