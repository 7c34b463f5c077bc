import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { AnswerStream } from '#apiserver/http/exchange.ts'
import { createWatchHub } from './watch-writer.ts'

const megabyte = 1024 * 1024
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

class FakeStream implements AnswerStream {
  readonly chunks: string[] = []
  pendingBytes = 0
  ended = false
  aborted = false
  readonly #reads: boolean
  constructor(reads: boolean) {
    this.#reads = reads
  }
  write(chunk: Buffer): void {
    this.chunks.push(chunk.length > 100 ? `${chunk.length} bytes` : chunk.toString())
    if (!this.#reads) this.pendingBytes += chunk.length
  }
  end(): void {
    this.ended = true
  }
  abort(): void {
    this.aborted = true
  }
}

suite('createWatchHub()', () => {
  test('writes all lines of one event-loop turn at once', async () => {
    using hub = createWatchHub(() => 0)
    const stream = new FakeStream(true)
    const writer = hub.open(stream, () => {})
    writer.push(Buffer.from('a\n'))
    writer.push(Buffer.from('b\n'))
    assert.deepEqual(stream.chunks, [])
    await turn()
    writer.push(Buffer.from('c\n'))
    await turn()
    assert.deepEqual(stream.chunks, ['a\nb\n', 'c\n'])
  })

  test('writes pending lines before it ends', () => {
    using hub = createWatchHub(() => 0)
    const stream = new FakeStream(true)
    const writer = hub.open(stream, () => {})
    writer.push(Buffer.from('a\n'))
    writer.end()
    assert.deepEqual(stream.chunks, ['a\n'])
    assert.equal(stream.ended, true)
    assert.equal(hub.size, 0)
  })

  test('drops only watchers with more than 4 MB unread', async () => {
    using hub = createWatchHub(() => 0)
    const [slow, fast] = [new FakeStream(false), new FakeStream(true)]
    let dropped = 0
    const writers = [hub.open(slow, () => (dropped += 1)), hub.open(fast, () => (dropped += 1))]
    for (let lines = 0; lines < 8; lines++) {
      for (const writer of writers) writer.push(Buffer.alloc(megabyte))
      await turn()
    }
    assert.deepEqual([slow.aborted, fast.aborted, dropped], [true, false, 1])
    assert.ok(slow.pendingBytes <= 6 * megabyte)
    assert.equal(fast.chunks.length, 8)
    writers[1]?.end()
  })

  test('does not count the initial state as backlog', async () => {
    using hub = createWatchHub(() => 0)
    const stream = new FakeStream(false)
    const writer = hub.open(stream, () => {})
    writer.push(Buffer.alloc(100 * megabyte))
    await turn()
    writer.push(Buffer.alloc(3 * megabyte))
    await turn()
    assert.equal(stream.aborted, false)
    writer.push(Buffer.alloc(2 * megabyte))
    await turn()
    assert.equal(stream.aborted, true)
  })

  test('drops watchers that read nothing for more than five seconds', async () => {
    let nowMs = 0
    using hub = createWatchHub(() => nowMs, 1)
    const stream = new FakeStream(false)
    const { promise: dropped, resolve: onDrop } = Promise.withResolvers<void>()
    hub.open(stream, onDrop).push(Buffer.from('a\n'))
    await turn()
    nowMs = 4_999
    await new Promise((resolve) => setTimeout(resolve, 5))
    assert.equal(stream.aborted, false)
    nowMs = 20_000
    await Promise.race([dropped, new Promise((resolve) => setTimeout(resolve, 1000))])
    assert.equal(stream.aborted, true)
  })
})
