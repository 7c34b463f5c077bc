import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { backoffMs } from './backoff.ts'

test('backoffMs() doubles up to its limit, less at most half by chance', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000 }), fc.double({ min: 0, max: 0.999999, noNaN: true }), (failures, chance) => {
      const full = Math.min(10_000, 50 * 2 ** (failures - 1))
      const ms = backoffMs(failures, { initialMs: 50, maxMs: 10_000 }, () => chance)
      assert.ok(ms > full / 2 - 1e-9 && ms <= full)
    }),
  )
})
