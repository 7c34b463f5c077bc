import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { suite, test } from 'node:test'
import * as fc from 'fast-check'
import type { Content, Position } from '../content.ts'
import { ImportFailure } from '../failure.ts'
import { systemTime } from '../time.ts'
import { createDownloads } from './download.ts'
import { etagOf, type Route, type ServedFile, startFileServer } from './file-server.fixture.ts'
import { createHttpClient } from './http-client.ts'

const patience = { idleMs: 5_000, windowMs: 60_000, windowBytes: 0 }
const time = { ...systemTime, sleep: () => Promise.resolve() }
const signal = new AbortController().signal

interface Read {
  readonly content: Content
  readonly bytes: Buffer
}

/** Downloads `/file` of a server with these routes. */
async function download(file: Route, from?: Position, tries: number = 3): Promise<Read & { readonly requests: readonly string[] }> {
  await using server = await startFileServer({ '/file': file })
  using client = createHttpClient({ authorities: [], insecureSkipVerify: false, idleMs: 5_000 })
  const open = createDownloads({ client, time, patience, tries })
  const content = await open({ url: new URL('/file', server.origin), headers: () => Promise.resolve({}) }, from, signal)
  const bytes = Buffer.concat(await Array.fromAsync(content.chunks))
  return { content, bytes, requests: server.requests }
}

const refusedFor =
  (reason: string) =>
  (error: unknown): boolean =>
    error instanceof ImportFailure && error.reason === reason

suite('createDownloads()', () => {
  const content = randomBytes(300_000)
  const file: ServedFile = { content }

  test('gives all bytes, wherever connections break', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ drops: fc.array(fc.integer({ min: 1, max: 200_000 }), { maxLength: 4 }), hasRanges: fc.boolean() }),
        async ({ drops, hasRanges }) => {
          // Without ranges, the server begins at the start each time, and must get further.
          const places = hasRanges ? drops : drops.toSorted((a, b) => a - b)
          const { bytes } = await download({ ...file, hasRanges, dropAfter: (request) => places[request - 1] }, undefined, 6)
          assert.ok(bytes.equals(content))
        },
      ),
      { numRuns: 25, seed: 1 },
    )
  })

  test('continues at the position of an earlier download', async () => {
    const { content: opened, bytes, requests } = await download(file, { offset: 100_000, validator: etagOf(content) })
    assert.deepEqual([opened.start, opened.total], [100_000, content.length])
    assert.ok(bytes.equals(content.subarray(100_000)))
    assert.deepEqual(requests, ['GET /file bytes=100000-'])
  })

  test('begins anew when the file is another one by now', async () => {
    const { content: opened, bytes } = await download(file, { offset: 100_000, validator: '"older"' })
    assert.equal(opened.start, 0)
    assert.ok(bytes.equals(content))
  })

  test('begins anew when a server ignores the condition', async () => {
    const careless: Route = (request, response) => {
      const isRange = request.headers.range !== undefined
      const part = isRange ? content.subarray(100_000) : content
      response.writeHead(isRange ? 206 : 200, {
        etag: '"newer"',
        ...(isRange ? { 'content-range': `bytes 100000-${content.length - 1}/${content.length}` } : {}),
      })
      response.end(part)
    }
    const { content: opened, bytes } = await download(careless, { offset: 100_000, validator: '"older"' })
    assert.equal(opened.start, 0)
    assert.ok(bytes.equals(content))
  })

  test('tells when the file changes while it is read', async () => {
    const other = randomBytes(content.length)
    let requests = 0
    const changing: Route = (_request, response) => {
      const now = requests++ === 0 ? content : other
      response.writeHead(200, { etag: etagOf(now), 'content-length': now.length })
      if (now === other) return void response.end(now)
      response.write(now.subarray(0, 50_000))
      setTimeout(() => response.destroy(), 20)
    }
    await assert.rejects(download(changing), refusedFor('SourceChanged'))
  })

  test('continues by the time of the last change, but not by a weak ETag', async () => {
    const dropAfter = (request: number): number | undefined => (request === 1 ? 50_000 : undefined)
    const { bytes } = await download({ ...file, etag: 'none', lastModified: 'Sat, 01 Jan 2000 00:00:00 GMT', dropAfter })
    assert.ok(bytes.equals(content))
    await assert.rejects(download({ ...file, etag: 'W/"weak"', dropAfter }), refusedFor('SourceInterrupted'))
  })

  test('gives up after some tries that bring nothing', async () => {
    let served = 0
    const dying = (request: number): number => {
      served = request
      return request === 1 ? 50_000 : 0
    }
    await assert.rejects(download({ ...file, dropAfter: dying }), refusedFor('SourceUnreachable'))
    assert.equal(served, 3)
  })
})
