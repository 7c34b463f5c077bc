import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readSourceRevision, RevisionUnknown } from './source-revision.ts'

test('readSourceRevision() reads the commit, its time, and whether files differ from it', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'revision-'))
  t.after(() => rm(root, { recursive: true }))
  await assert.rejects(readSourceRevision(root, undefined), RevisionUnknown)
  assert.deepEqual(await readSourceRevision(root, '100'), { isDirty: true, created: new Date(100_000) })

  const identity = {
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@example.com',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@example.com',
  }
  const env = { ...process.env, ...identity, GIT_COMMITTER_DATE: '2026-01-02T03:04:05Z', GIT_CONFIG_GLOBAL: '/dev/null' }
  const git = (...args: readonly string[]): string => execFileSync('git', ['-C', root, ...args], { env, encoding: 'utf8' })
  await writeFile(join(root, 'file'), 'a')
  git('init', '-q')
  git('add', '.')
  git('commit', '-q', '-m', 'First')
  const commit = git('rev-parse', 'HEAD').trim()
  const created = new Date('2026-01-02T03:04:05Z')
  assert.deepEqual(await readSourceRevision(root, undefined), { commit, isDirty: false, created })
  await writeFile(join(root, 'other'), 'b')
  assert.deepEqual(await readSourceRevision(root, ''), { commit, isDirty: true, created })
})
