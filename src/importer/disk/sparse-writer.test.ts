import assert from 'node:assert/strict'
import { mkdtemp, open, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import * as fc from 'fast-check'
import { ImportFailure } from '../failure.ts'
import { createSparseWriter, dataRuns } from './sparse-writer.ts'

const block = 4096

/** Content in pieces, of which some are zeros. */
const pieces = fc.array(fc.record({ bytes: fc.integer({ min: 1, max: 3 * block }), byte: fc.constantFrom(0, 0, 7), chunk: fc.boolean() }), {
  minLength: 1,
  maxLength: 20,
})

suite('createSparseWriter()', () => {
  let folder = ''
  before(async () => void (folder = await mkdtemp(join(tmpdir(), 'sparse-'))))
  after(() => rm(folder, { recursive: true, force: true }))

  test('gives back what was written, from any position on', async () => {
    await fc.assert(
      fc.asyncProperty(pieces, fc.integer({ min: 0, max: 2 * block }), fc.boolean(), async (all, start, hasHoles) => {
        const path = join(folder, 'disk')
        const size = { usual: 1 << 20, largest: 1 << 20 }
        const content = Buffer.concat([Buffer.alloc(start, 9), ...all.map(({ bytes, byte }) => Buffer.alloc(bytes, byte))])
        const file = await open(path, 'w+')
        await file.write(content.subarray(0, start))
        const writer = createSparseWriter(file, { position: start, size, hasHoles })
        for (let at = start, index = 0; at < content.length; index++) {
          const bytes = all[index % all.length]?.bytes ?? 1
          await writer.write(content.subarray(at, at + bytes))
          at += bytes
        }
        await writer.flush()
        assert.equal(writer.position, content.length)
        await file.truncate(content.length)
        await file.close()
        assert.ok((await readFile(path)).equals(content))
      }),
      { numRuns: 100, seed: 1 },
    )
  })

  test('leaves zeros out', async () => {
    const path = join(folder, 'holes')
    const file = await open(path, 'w+')
    const writer = createSparseWriter(file, { position: 0, size: { usual: 1 << 30, largest: 1 << 30 }, hasHoles: true })
    await writer.write(Buffer.alloc(8 << 20))
    await writer.write(Buffer.alloc(block, 1))
    await writer.flush()
    await file.close()
    const { size, blocks } = await stat(path)
    assert.equal(size, (8 << 20) + block)
    assert.ok(blocks * 512 <= 8 * block, `${blocks} blocks`)
  })

  test('stops at the end of the disk', async () => {
    const file = await open(join(folder, 'full'), 'w+')
    const writer = createSparseWriter(file, { position: 0, size: { usual: block, largest: block }, hasHoles: true })
    await writer.write(Buffer.alloc(block))
    await assert.rejects(writer.write(Buffer.alloc(1)), (error) => error instanceof ImportFailure && error.reason === 'VolumeTooSmall')
    await file.close()
  })
})

test('dataRuns() joins blocks, and knows where they lie in the file', () => {
  const bytes = Buffer.alloc(4 * block)
  bytes[block + 5] = 1
  bytes[2 * block] = 1
  assert.deepEqual(dataRuns(bytes, 0), [[block, 3 * block]])
  // Of the second block of the file, the first byte is there.
  assert.deepEqual(dataRuns(bytes, block - 1), [[block + 1, 2 * block + 1]])
  assert.deepEqual(dataRuns(Buffer.alloc(0), 7), [])
})
