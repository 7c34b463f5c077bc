import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createStartupWrites } from './startup-writes.ts'

function start() {
  const store: { failure: Error | undefined } = { failure: undefined }
  const writes = createStartupWrites({ store, log: { error: () => {} } })
  const problems = (): string[] => writes.checks.flatMap(({ name, problem }) => (problem() === undefined ? [] : [name]))
  return { store, writes, problems }
}

suite('createStartupWrites()', () => {
  test('runs the writes once when storage works', async () => {
    const { writes, problems } = start()
    let runs = 0
    await writes.run('policy', async () => void runs++)
    writes.resume()
    assert.deepEqual([runs, problems()], [1, []])
  })

  test('rejects with an error that is not of storage', async () => {
    const { writes } = start()
    await assert.rejects(
      writes.run('policy', async () => {
        throw new TypeError('bug')
      }),
      TypeError,
    )
  })

  test('starts without the writes while storage fails, and repeats them until they succeed', async () => {
    const { store, writes, problems } = start()
    let runs = 0
    store.failure = new Error('full')
    await writes.run('policy', async () => {
      runs++
      if (store.failure !== undefined) throw store.failure
    })
    assert.deepEqual([runs, problems()], [1, ['poststarthook/policy']])
    writes.resume()
    await new Promise(setImmediate)
    assert.deepEqual([runs, problems()], [2, ['poststarthook/policy']])
    store.failure = undefined
    writes.resume()
    await new Promise(setImmediate)
    assert.deepEqual([runs, problems()], [3, []])
  })
})
