import assert from 'node:assert/strict'
import test from 'node:test'
import { createVirtualClock } from '../clock/virtual-clock.ts'
import { createRateLimiter, TokenBucket } from './rate-limiter.ts'

test('createRateLimiter() doubles the delay of each item from 5 ms to its limit, and starts over after forget()', () => {
  const limiter = createRateLimiter(createVirtualClock(), { perSecond: 1e6, burst: 1e6 })
  const waits = Array.from({ length: 20 }, () => limiter.delayMs('a'))
  assert.deepEqual(waits.slice(0, 4), [5, 10, 20, 40])
  assert.equal(waits.at(-1), 1_000_000)
  assert.equal(limiter.delayMs('b'), 5)
  limiter.forget('a')
  assert.equal(limiter.failures('a'), 0)
  assert.equal(limiter.delayMs('a'), 5)
})

test('createRateLimiter() limits a burst over all items to ten per second', () => {
  const limiter = createRateLimiter(createVirtualClock())
  const waits = Array.from({ length: 200 }, (_, i) => limiter.delayMs(`item${i}`))
  assert.equal(Math.max(...waits.slice(0, 100)), 5)
  assert.equal(Math.round(waits.at(-1) ?? 0), 10_000)
})

test('TokenBucket refills with time up to its burst, and tolerates a clock that is set back', async () => {
  const clock = createVirtualClock()
  const bucket = new TokenBucket(clock, 10, 2)
  assert.deepEqual([bucket.tryTake(), bucket.tryTake(), bucket.tryTake()], [true, true, false])
  await clock.advance(100)
  assert.deepEqual([bucket.tryTake(), bucket.tryTake()], [true, false])
  await clock.advance(1e6)
  assert.deepEqual([bucket.tryTake(), bucket.tryTake(), bucket.tryTake()], [true, true, false])
  let now = 1_000_000
  const jumpy = new TokenBucket({ ...clock, now: () => now }, 10, 1)
  assert.equal(jumpy.tryTake(), true)
  now = 0
  assert.equal(jumpy.tryTake(), false)
  now = 100
  assert.equal(jumpy.tryTake(), true)
})
