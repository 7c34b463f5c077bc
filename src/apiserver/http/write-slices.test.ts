import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { Writable } from 'node:stream'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { sliceBytes, writeSlices } from './write-slices.ts'

/** Copies each chunk late, so that a buffer that is reused too early shows. */
function slowWritable(): { stream: Writable; received: () => Buffer; sizes: number[] } {
  const chunks: Buffer[] = []
  const sizes: number[] = []
  const stream = new Writable({
    highWaterMark: 1,
    write(chunk: Buffer, _encoding, done) {
      setImmediate(() => {
        chunks.push(Buffer.from(chunk))
        sizes.push(chunk.length)
        done()
      })
    },
  })
  return { stream, received: () => Buffer.concat(chunks), sizes }
}

suite('writeSlices()', () => {
  test('writes every byte in order, for parts of any size', async () => {
    const size = fc.oneof(fc.integer({ min: 0, max: 50 }), fc.integer({ min: sliceBytes - 2, max: 2 * sliceBytes + 2 }))
    await fc.assert(
      fc.asyncProperty(fc.array(size, { maxLength: 6 }), async (lengths) => {
        const parts = lengths.map((length) => randomBytes(length))
        const { stream, received, sizes } = slowWritable()
        await writeSlices(parts, stream)
        assert.ok(stream.writableEnded)
        assert.ok(received().equals(Buffer.concat(parts)))
        assert.ok(sizes.slice(0, -1).every((bytes) => bytes === sliceBytes))
      }),
      { numRuns: 60 },
    )
  })

  test('stops reading the parts when the client disconnects', async () => {
    let read = 0
    function* endless(): Generator<Buffer> {
      for (;;) {
        read += 1
        if (read > 100) throw new Error('still reading')
        yield Buffer.alloc(sliceBytes)
      }
    }
    const stream = new Writable({
      write(_chunk, _encoding, done) {
        if (read > 3) stream.destroy(new Error('gone'))
        setImmediate(done)
      },
    })
    stream.on('error', () => {})
    await writeSlices(endless(), stream)
    assert.ok(read < 10, String(read))
    assert.ok(!stream.writableEnded)
  })
})
