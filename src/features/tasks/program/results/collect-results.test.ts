import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { exitCodes, TaskFailed } from '../../exit-codes.ts'
import { collectResults } from './collect-results.ts'

test('results become one message, which is never cut off', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'results-'))
  const file = `${folder}.message`
  try {
    await writeFile(join(folder, 'name'), 'disk\n')
    await writeFile(join(folder, 'empty'), '')
    await writeFile(join(folder, '.part'), 'unfinished')
    await collectResults({ folder, file })
    assert.deepEqual(JSON.parse(await readFile(file, 'utf8')), { empty: '', name: 'disk\n' })
    await writeFile(join(folder, 'large'), 'ä'.repeat(600))
    await collectResults({ folder, file })
    await assert.rejects(
      collectResults({ folder, file, mostBytes: 1_024 }),
      (error: unknown) =>
        error instanceof TaskFailed && error.exitCode === exitCodes.resultsFailed && /large has 1200 bytes/.test(error.message),
    )
  } finally {
    await rm(folder, { recursive: true })
    await rm(file)
  }
})
