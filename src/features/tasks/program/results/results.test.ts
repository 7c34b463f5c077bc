import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { exitCodes, TaskFailed } from '../../exit-codes.ts'
import { prepareResults, writeResults } from './results.ts'

const task = { name: 'a-task', results: ['name', 'namespace'].map((name) => ({ name, description: '' })) }
const isResultsFailed = (error: unknown): boolean => error instanceof TaskFailed && error.exitCode === exitCodes.resultsFailed

suite('results', () => {
  let folder = ''
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'results-'))
  })
  after(() => rm(folder, { recursive: true }))

  test('are files without a line break at the end, and nothing else', async () => {
    const place = join(folder, 'a', 'b')
    await prepareResults(task, place)
    await writeResults(task, place, { name: 'vm', namespace: 'default', other: 'x' })
    assert.deepEqual((await readdir(place)).toSorted(), ['name', 'namespace'])
    assert.equal(await readFile(join(place, 'name'), 'utf8'), 'vm')
  })

  test('a folder that cannot be written is refused before the task begins', async () => {
    await writeFile(join(folder, 'file'), '')
    await assert.rejects(prepareResults(task, join(folder, 'file')), isResultsFailed)
    await prepareResults({ results: [] }, join(folder, 'file'))
  })

  test('a result without a value is an error', async () => {
    await assert.rejects(writeResults(task, folder, { name: 'vm' }), isResultsFailed)
  })
})
