import assert from 'node:assert/strict'
import { test } from 'node:test'
import { durationMs } from './time.ts'

test('durationMs() reads whole milliseconds, and returns undefined for invalid durations', () => {
  const texts = ['0', '1500ms', '1h2m3.5s', '1999ns', '-1ns', '-1m', '8761h', 'soon', '', '5']
  const expected = [0, 1_500, 3_723_500, 0, -1, -60_000, 31_539_600_000, undefined, undefined, undefined]
  assert.deepEqual(texts.map(durationMs), expected)
})
