import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { isExpired, StatusError } from '#apimachinery/errors.ts'
import { TransportError } from './client.ts'
import { decodeLines, decodeWatchEvent } from './watch-stream.ts'

async function* chunksOf(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array, void, undefined> {
  let at = 0
  for (const size of sizes) {
    yield bytes.subarray(at, at + size)
    at += size
  }
  yield bytes.subarray(at)
}

test('decodeLines() returns the same lines for any split of the bytes, also inside a character', async () => {
  const line = fc.string({ unit: 'grapheme' }).filter((text) => text !== '' && !text.includes('\n'))
  await fc.assert(
    fc.asyncProperty(fc.array(line), fc.array(fc.nat(5)), async (lines, sizes) => {
      const bytes = new TextEncoder().encode(lines.map((text) => `${text}\n`).join(''))
      assert.deepEqual(await Array.fromAsync(decodeLines(chunksOf(bytes, sizes))), lines)
    }),
  )
})

test('decodeLines() reports a stream that ends inside of a line, after the whole ones', async () => {
  const lines: string[] = []
  const reading = (async () => {
    for await (const line of decodeLines(chunksOf(new TextEncoder().encode('{}\n{"ty'), []))) lines.push(line)
  })()
  await assert.rejects(reading, TransportError)
  assert.deepEqual(lines, ['{}'])
})

test('decodeWatchEvent() returns events, and throws errors that the server reports', () => {
  assert.deepEqual(decodeWatchEvent('{"type":"ADDED","object":{"kind":"Pod"}}'), { type: 'ADDED', object: { kind: 'Pod' } })
  const gone =
    '{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","reason":"Expired","code":410}}'
  assert.throws(
    () => decodeWatchEvent(gone),
    (error) => error instanceof StatusError && isExpired(error) && error.code === 410,
  )
  for (const line of ['nonsense', '{"type":"ERROR","object":{}}', '{"type":"OTHER","object":{}}'])
    assert.throws(() => decodeWatchEvent(line), TransportError)
})
