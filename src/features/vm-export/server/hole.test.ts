import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { holeOf } from './hole.ts'

test('holeOf() knows the CRC-32 over zeros after any content', () => {
  const bytes = 4096
  const hole = holeOf(bytes, (zeros) => Promise.resolve(zeros))
  fc.assert(
    fc.property(fc.uint8Array(), (content) => {
      const before = crc32(content)
      assert.equal(hole.after(before), crc32(Buffer.alloc(bytes), before))
    }),
  )
  assert.deepEqual([hole.is(Buffer.alloc(bytes)), hole.is(Buffer.alloc(bytes - 1)), hole.is(Buffer.alloc(bytes, 1))], [true, false, false])
})
