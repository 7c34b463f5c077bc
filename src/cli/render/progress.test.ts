import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testContext } from '../cli-context.fixture.ts'
import { progressBar, progressOn } from './progress.ts'

test('progressBar() never shows more than is done', () => {
  const rows: readonly (readonly [number, number, string])[] = [
    [0, 10, '[--------------------]   0 %'],
    [1, 3, '[######--------------]  33 %'],
    [9_999, 10_000, '[###################-]  99 %'],
    [10, 10, '[####################] 100 %'],
    [0, 0, '[####################] 100 %'],
  ]
  for (const [done, total, expected] of rows) assert.equal(progressBar(done, total), expected)
})

test('progressOn() writes only to terminals, and clears its line', () => {
  for (const isTTY of [true, false]) {
    const made = testContext({ isTTY })
    {
      using progress = progressOn(made.context)
      progress.show('at once')
      made.nowMs = 5_000
      progress.show('later')
    }
    assert.equal(made.printed.stderr, isTTY ? '\r\u001B[Klater\r\u001B[K' : '')
  }
})
