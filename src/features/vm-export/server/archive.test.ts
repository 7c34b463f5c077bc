import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { archiveOf } from './archive.ts'

test('archiveOf() ends quietly when its consumer fails within a file', async () => {
  const path = await mkdtemp(join(tmpdir(), 'archive-'))
  await writeFile(join(path, 'large'), randomBytes(8 << 20))
  for (const waitMs of [0, 0, 5, 20]) {
    const folder = await open(path)
    const archive = archiveOf(folder)
    await once(archive, 'readable')
    archive.read()
    await sleep(waitMs)
    archive.destroy(new Error('Premature close'))
    const [error] = (await once(archive, 'error')) as [Error]
    assert.equal(error.message, 'Premature close')
    await sleep(waitMs)
    await folder.close()
  }
  await rm(path, { recursive: true })
})
