import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pressAgainAfterMs } from './power-button.ts'

test('pressAgainAfterMs() grows with the time since the first press', () => {
  const presses = [0]
  while ((presses.at(-1) ?? 0) < 30_000) presses.push((presses.at(-1) ?? 0) + pressAgainAfterMs(presses.at(-1) ?? 0))
  assert.deepEqual(
    presses.map((ms) => Math.round(ms / 100) / 10),
    [0, 1, 2, 3, 4, 5, 6.3, 7.8, 9.8, 12.2, 15.3, 19.1, 23.8, 28.8, 33.8],
  )
})
