import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { downloadDisk } from './download-disk.ts'
import { ImportFailure } from './failure.ts'
import { systemTime } from './time.ts'

const mebibyte = 1024 * 1024
/** Data, a hole, data, and a hole at the end. */
const disk = Buffer.concat([randomBytes(mebibyte), Buffer.alloc(8 * mebibyte), randomBytes(5_000), Buffer.alloc(mebibyte)])

suite('downloadDisk', () => {
  let folder = ''
  let server: Server
  let requests = 0
  /** Requests that are cut after a part of the content. */
  let cuts = 0
  let body: Buffer
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'download-disk-'))
    server = createServer((request, response) => {
      requests++
      if (request.headers['x-token'] !== 'secret') return void response.writeHead(401).end()
      response.writeHead(200, { 'content-type': 'application/gzip' })
      if (cuts-- <= 0) return void response.end(body)
      response.write(body.subarray(0, body.length / 2), () => response.destroy())
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  after(async () => {
    server.close()
    await rm(folder, { recursive: true })
  })

  const download = (headers: Readonly<Record<string, string>> = { 'x-token': 'secret' }): Promise<number> => {
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/disk.img.gz`)
    const time = { ...systemTime, sleep: () => Promise.resolve() }
    return downloadDisk({ url, headers, authorities: [], file: join(folder, 'disk'), signal: AbortSignal.timeout(20_000), time })
  }
  const failsWith = (reason: string) => (error: unknown) => error instanceof ImportFailure && error.reason === reason

  test('writes a sparse file, from the start again after a cut', async () => {
    body = gzipSync(disk)
    for (const cut of [0, 2]) {
      cuts = cut
      requests = 0
      assert.equal(await download(), disk.length)
      assert.equal(requests, cut + 1)
      assert.ok((await readFile(join(folder, 'disk'))).equals(disk))
      assert.ok((await stat(join(folder, 'disk'))).blocks * 512 < 2 * mebibyte, 'the holes take space')
    }
  })

  test('gives up', async () => {
    body = gzipSync(disk)
    cuts = 3
    await assert.rejects(download(), failsWith('SourceInterrupted'))
    cuts = 0
    await assert.rejects(download({}), failsWith('SourceRefused'))
    body = Buffer.from('this is not compressed')
    await assert.rejects(download(), failsWith('ImageInvalid'))
  })
})
