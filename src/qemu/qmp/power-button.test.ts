import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pressAgainAfterMs } from './power-button.ts'

test('pressAgainAfterMs() presses often at first, then ever more rarely', () => {
  const presses = [0]
  while ((presses.at(-1) ?? 0) < 30_000) presses.push((presses.at(-1) ?? 0) + pressAgainAfterMs(presses.at(-1) ?? 0))
  assert.deepEqual(
    presses.map((ms) => Math.round(ms / 100) / 10),
    [0, 1, 2, 3, 4.5, 6.8, 10.1, 15.1, 20.1, 25.1, 30.1],
  )
})
