import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freeChunk, markLastPart } from './chunk.ts'

test('freeChunk() frees what has its memory for itself, and leaves memory that is shared', () => {
  const own = Buffer.alloc(100_000, 1)
  freeChunk(own)
  assert.deepEqual([own.length, own.buffer.byteLength], [0, 0])
  assert.doesNotThrow(() => freeChunk(own))
  // Small buffers are parts of a pool, which all code of the process uses.
  const pooled = Buffer.from('pooled')
  freeChunk(pooled)
  assert.equal(pooled.toString(), 'pooled')
  const memory = Buffer.alloc(100_000, 1)
  const [first, last] = [memory.subarray(0, 60_000), memory.subarray(60_000)]
  freeChunk(first)
  freeChunk(last)
  assert.equal(memory.length, 100_000)
  markLastPart(last)
  freeChunk(last)
  assert.equal(memory.length, 0)
})
