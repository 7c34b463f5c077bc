import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { suite, test } from 'node:test'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { packArchive } from './archive/archive.fixture.ts'
import { startFileServer } from './http/file-server.fixture.ts'
import type { ImportTask } from './task/task.ts'
import { createTestVolume, httpSource, sha256 } from './worker.fixture.ts'

const mebibyte = 1 << 20
const program = new URL('worker-memory.fixture.ts', import.meta.url).pathname

/** A disk with data between zeros. */
function diskWithData(mebibytes: number): Buffer {
  const disk = Buffer.alloc(mebibytes * mebibyte)
  for (let at = 0; at < disk.length; at += mebibyte / 4) randomBytes(mebibyte / 16).copy(disk, at)
  return disk
}

suite('chunks of a download', () => {
  const disk = diskWithData(64)
  const sources: Readonly<Record<string, readonly [make: () => Buffer | Promise<Buffer>, contentType: ImportTask['contentType']]>> = {
    'a raw disk': [() => disk, 'kubevirt'],
    'a disk in gzip': [() => gzipSync(disk, { level: 1 }), 'kubevirt'],
    'a compressed archive': [async () => gzipSync(await packArchive([{ name: 'file', content: disk }]), { level: 1 }), 'archive'],
  }
  for (const [name, [make, contentType]] of Object.entries(sources))
    test(`of ${name} take no memory when they were written`, async () => {
      const content = await make()
      await using server = await startFileServer({ '/image': { content } })
      await using volume = await createTestVolume()
      const task = volume.task(httpSource(`${server.origin}/image`, `sha256:${sha256(content)}`), {
        contentType,
        volumeBytes: 2 * disk.length,
      })
      // As pods of workers have it.
      const env = { ...process.env, NODE_OPTIONS: '--max-semi-space-size=1' }
      const { stdout } = await promisify(execFile)(process.execPath, [program, JSON.stringify(task)], { env })
      if (contentType === 'kubevirt') assert.equal(await volume.digest(disk.length), sha256(disk))
      assert.ok(Number(stdout) < 10 * mebibyte, `${stdout.trim()} bytes`)
    })
})
