import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { makeRunFolder } from './run-folder.ts'

test('makeRunFolder() makes a private folder, and removes those of killed processes only', async (t) => {
  const parent = await mkdtemp(join(tmpdir(), 'folders-'))
  t.after(() => rm(parent, { recursive: true }))
  // Linux has no process of a number beyond 2^22.
  const killed = await makeRunFolder(parent, 2 ** 22 + 1)
  await writeFile(join(killed, 'key'), 'KEY')
  const living = await makeRunFolder(parent, process.pid)
  await writeFile(join(parent, 'other'), '')
  const own = await makeRunFolder(parent, process.pid)
  assert.deepEqual((await readdir(parent)).toSorted(), ['other', basename(living), basename(own)].toSorted())
  assert.equal((await stat(own)).mode & 0o777, 0o700)
})
