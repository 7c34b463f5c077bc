import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { ChannelFrameError, channels, type ChannelFrame, decodeFrames, encodeFrame, maximumPayload } from './channel-frames.ts'

async function* piecesOf(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let start = 0
  for (let index = 0; start < bytes.length; index++) {
    const size = Math.max(1, sizes[index % Math.max(1, sizes.length)] ?? bytes.length)
    yield bytes.subarray(start, start + size)
    start += size
  }
}

async function decodeAll(bytes: Uint8Array, sizes: readonly number[]): Promise<ChannelFrame[]> {
  const found: ChannelFrame[] = []
  for await (const frame of decodeFrames(piecesOf(bytes, sizes))) found.push(frame)
  return found
}

suite('channel frames', () => {
  test('are decoded as they were sent, for any split of the bytes', async () => {
    const frame = fc.record({ channel: fc.constantFrom(...Object.values(channels)), payload: fc.uint8Array({ maxLength: 40 }) })
    await fc.assert(
      fc.asyncProperty(fc.array(frame, { maxLength: 12 }), fc.array(fc.integer({ min: 1, max: 30 })), async (frames, sizes) => {
        const bytes = Buffer.concat(frames.map(({ channel, payload }) => encodeFrame(channel, payload)))
        const found = await decodeAll(bytes, sizes)
        assert.deepEqual(
          found.map(({ channel, payload }) => ({ channel, payload: [...payload] })),
          frames.map(({ channel, payload }) => ({ channel, payload: [...payload] })),
        )
      }),
    )
  })

  test('decode to frames or a ChannelFrameError for any bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        await decodeAll(bytes, []).catch((error: unknown) => assert.ok(error instanceof ChannelFrameError))
      }),
    )
  })

  test('are refused when they are too long, in both directions', async () => {
    assert.throws(() => encodeFrame(channels.stdout, new Uint8Array(maximumPayload + 1)), ChannelFrameError)
    const tooLong = Buffer.from([channels.stdout, 0, 1, 0, 1])
    await assert.rejects(decodeAll(tooLong, []), ChannelFrameError)
  })
})
