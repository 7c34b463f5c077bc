import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { decideOutOfSpace, nextTrial, settlesInMs, type OutOfSpace, type SpaceTrial } from './out-of-space.ts'

const full: OutOfSpace = { space: 'lacking', disks: ['data'], sinceMs: 0 }
const trial = (count: number, atMs: number): SpaceTrial => ({ count, atMs, disks: ['data'] })

suite('decideOutOfSpace()', () => {
  const rows: readonly (readonly [string, Partial<OutOfSpace>, number, number | 'try'])[] = [
    ['leaves the guest stopped for a second', { space: 'free' }, 0, 1_000],
    ['resumes it when there is space', { space: 'free' }, 1_000, 'try'],
    ['looks again while there is none', {}, 1_000, 500],
    ['looks more seldom, the longer there is none', {}, 8_000, 4_000],
    ['looks every ten seconds at last', {}, 1_000_000, 10_000],
    ['tries what does not say whether it has space', { space: 'unknown' }, 1_000, 'try'],
    ['tries it less often, the more attempts were in vain', { space: 'unknown', trial: trial(3, 5_000) }, 5_100, 3_900],
    ['tries it every minute at last', { space: 'unknown', trial: trial(99, 5_000) }, 5_000, 60_000],
    ['does not trust a file system that has space and refuses writes', { space: 'free', trial: trial(2, 5_000) }, 5_500, 1_500],
  ]
  for (const [name, more, nowMs, expected] of rows) {
    test(name, () => {
      const decision = decideOutOfSpace({ ...full, ...more }, nowMs)
      assert.equal(decision.kind === 'try' ? 'try' : decision.againMs, expected)
    })
  }

  test('counts attempts in a row, and shows after a moment whether one has helped', () => {
    const first = nextTrial(undefined, ['data'], 1_000)
    assert.equal(first.count, 1)
    assert.equal(nextTrial(first, ['data'], 2_000).count, 2)
    assert.equal(nextTrial(trial(9, 0), ['data'], 120_001).count, 1)
    assert.ok(settlesInMs(first, 1_000) > 0)
    assert.ok(settlesInMs(first, 2_000) <= 0)
    assert.equal(settlesInMs(undefined, 0), 0)
  })
})
