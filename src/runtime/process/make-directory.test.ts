import assert from 'node:assert/strict'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { makeDirectory } from './make-directory.ts'

suite('makeDirectory()', () => {
  let root: string
  before(async () => (root = await mkdtemp(join(tmpdir(), 'make-directory-'))))
  after(() => rm(root, { recursive: true }))

  test('creates all missing directories, also when called concurrently', async () => {
    const path = join(root, 'a', 'b', 'c')
    await Promise.all([makeDirectory(path, 0o700), makeDirectory(path, 0o700)])
    await makeDirectory(path, 0o755)
    assert.equal((await stat(path)).mode & 0o777, 0o700)
  })

  for (const path of ['/proc/nope', '/proc/nope/deeper', '/sys/nope'])
    test(`fails where no directory can be created: ${path}`, () =>
      assert.rejects(makeDirectory(path, 0o700), { path: /^\/(proc|sys)\/nope/ }))
})
