import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { humanDuration } from './age.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour
const cases: readonly [number, string][] = [
  [0, '0s'],
  [999, '0s'],
  [5 * second, '5s'],
  [119 * second, '119s'],
  [2 * minute, '2m'],
  [2 * minute + 10 * second, '2m10s'],
  [10 * minute + 59 * second, '10m'],
  [179 * minute, '179m'],
  [3 * hour, '3h'],
  [3 * hour + 5 * minute, '3h5m'],
  [8 * hour + 5 * minute, '8h'],
  [47 * hour, '47h'],
  [48 * hour, '2d'],
  [4 * day + hour, '4d1h'],
  [8 * day + hour, '8d'],
  [729 * day, '729d'],
  [730 * day, '2y'],
  [733 * day, '2y3d'],
  [9 * 365 * day + 5 * day, '9y'],
  [-second, '0s'],
  [-2 * second, '<invalid>'],
  [Number.NaN, '<invalid>'],
]

suite('humanDuration()', () => {
  for (const [durationMs, want] of cases)
    test(`humanDuration() prints ${durationMs} ms as ${want}`, () => assert.equal(humanDuration(durationMs), want))
})
