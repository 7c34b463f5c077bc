import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, open, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { BlocksError } from './file-blocks.ts'
import { freeHoles } from './free-holes.ts'

const mebibyte = 1 << 20

test('freeHoles() frees what was allocated and never written, and changes nothing', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'holes-'))
  t.after(() => rm(folder, { recursive: true }))
  const path = join(folder, 'disk')
  execFileSync('fallocate', ['--length', String(32 * mebibyte), path])
  const data = randomBytes(mebibyte)
  await using file = await open(path, 'r+')
  const content = Buffer.alloc(32 * mebibyte)
  for (const at of [0, 10, 31]) {
    data.copy(content, at * mebibyte)
    await file.write(data, 0, data.length, at * mebibyte)
  }
  await file.sync()
  assert.ok((await stat(path)).blocks * 512 >= 32 * mebibyte)
  await freeHoles(file.fd, 32 * mebibyte)
  const { blocks, size } = await stat(path)
  assert.equal(size, 32 * mebibyte)
  assert.ok(blocks * 512 < 4 * mebibyte, `${blocks} blocks are left`)
  assert.ok((await readFile(path)).equals(content))
})

test('freeHoles() frees nothing of a file of which it knows nothing', async () => {
  await assert.rejects(freeHoles(1 << 20, mebibyte), BlocksError)
})
