import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, open, readFile, rm, stat, type FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { copyBlocks, shareBlocks } from './copy-blocks.ts'

const mebibyte = 1 << 20
const { signal } = new AbortController()

interface Files extends AsyncDisposable {
  readonly source: FileHandle
  readonly target: FileHandle
  readonly path: string
}

async function openFiles(): Promise<Files> {
  const folder = await mkdtemp(join(tmpdir(), 'blocks-'))
  const path = join(folder, 'target')
  const source = await open(join(folder, 'source'), 'w+')
  const target = await open(path, 'w+')
  return {
    source,
    target,
    path,
    async [Symbol.asyncDispose]() {
      await source.close()
      await target.close()
      await rm(folder, { recursive: true })
    },
  }
}

suite('copyBlocks()', () => {
  test('copies the data, leaves out holes, and tells how far it is', async () => {
    await using files = await openFiles()
    const content = Buffer.alloc(64 * mebibyte)
    for (const at of [3, 20, 63]) {
      const data = randomBytes(mebibyte)
      data.copy(content, at * mebibyte)
      await files.source.write(data, 0, data.length, at * mebibyte)
    }
    const positions: number[] = []
    assert.equal(await copyBlocks(files.source, files.target, content.length, { signal, onCopied: (at) => positions.push(at) }), true)
    assert.ok((await readFile(files.path)).equals(content))
    assert.ok((await stat(files.path)).blocks * 512 < 5 * mebibyte)
    assert.deepEqual(positions.filter((at) => at % mebibyte === 0).at(-1), content.length)
  })

  test('ends when it is told to', async () => {
    await using files = await openFiles()
    await files.source.writeFile('data')
    await assert.rejects(copyBlocks(files.source, files.target, 4, { signal: AbortSignal.abort(new Error('stopped')) }), /stopped/)
    assert.equal((await stat(files.path)).size, 0)
  })

  test('copies nothing of what is no file', async () => {
    await using files = await openFiles()
    await using device = await open('/dev/zero')
    assert.equal(await copyBlocks(device, files.target, mebibyte, { signal }), false)
    assert.equal((await stat(files.path)).size, 0)
  })
})

test('shareBlocks() shares all or nothing', async () => {
  await using files = await openFiles()
  await files.source.writeFile('data')
  const isShared = shareBlocks(files.source, files.target)
  assert.equal(await readFile(files.path, 'utf8'), isShared ? 'data' : '')
})
