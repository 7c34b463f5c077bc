import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { divide, planJobs, testFiles } from './jobs.ts'
import { runInLanes } from './run-in-lanes.ts'

suite('runInLanes()', () => {
  test('keeps the lanes busy, and runs an exclusive job alone', async () => {
    const running = new Set<string>()
    const together = new Map<string, string[]>()
    const jobs = ['a', 'b', 'c', 'alone', 'd', 'e'].map((name) => (name === 'alone' ? { name, exclusive: 'measures' } : { name }))
    await runInLanes(jobs, 2, async ({ name }) => {
      running.add(name)
      for (const one of running) together.set(one, [...new Set([...(together.get(one) ?? []), ...running])])
      await sleep(5)
      running.delete(name)
    })
    assert.deepEqual(together.get('alone'), ['alone'])
    assert.ok([...together.values()].some(({ length }) => length > 1))
    assert.equal(together.size, jobs.length)
  })

  test('ends with the error of a job that could not be run', async () => {
    await assert.rejects(
      runInLanes([{}], 2, () => Promise.reject(new Error('broken'))),
      /broken/,
    )
  })
})

suite('divide()', () => {
  test('returns parts of similar weight, and none that is empty', () => {
    const parts = divide([5, 1, 4, 3, 2], 2, (weight) => weight)
    assert.deepEqual(new Set(parts.map(({ sum }) => sum)), new Set([7, 8]))
    assert.equal(divide([1], 3, (weight) => weight).length, 1)
  })
})

suite('planJobs()', () => {
  const files = (tier: 'default' | 'long', shard: { number: number; of: number }): string[] =>
    planJobs({ tier, words: [], shard, unitProcesses: 2 }).flatMap((job) => job.files)

  test('runs every file of the tier exactly once, for any number of shards', () => {
    for (const tier of ['default', 'long'] as const) {
      const { unit, endToEnd } = testFiles(tier)
      const shards = [1, 2, 3].flatMap((number) => files(tier, { number, of: 3 }))
      assert.deepEqual(shards.toSorted(), [...unit, ...endToEnd].toSorted())
      assert.deepEqual(files(tier, { number: 1, of: 1 }).toSorted(), shards.toSorted())
    }
  })

  test('leaves slow files of unit tests out of the quick tier', () => {
    const durations = { 'tools/testing/run-in-lanes.test.ts': 60 }
    const quick = testFiles('quick', durations)
    assert.deepEqual(quick.endToEnd, [])
    assert.equal(quick.unit.length, testFiles('default').unit.length - 1)
    assert.ok(!quick.unit.includes('tools/testing/run-in-lanes.test.ts'))
  })

  test('starts exclusive jobs last', () => {
    const jobs = planJobs({ tier: 'long', words: [], shard: { number: 1, of: 1 }, unitProcesses: 2 })
    const first = jobs.findIndex(({ exclusive }) => exclusive !== undefined)
    assert.ok(first > 0)
    assert.ok(jobs.slice(first).every(({ exclusive }) => exclusive !== undefined))
  })
})
