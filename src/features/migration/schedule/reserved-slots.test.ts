import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '#runtime/clock/virtual-clock.ts'
import { createReservedSlots } from './reserved-slots.ts'

test('a slot is reserved until it is released or times out', async () => {
  const clock = createVirtualClock()
  const slots = createReservedSlots(clock)
  for (const uid of ['a', 'b']) slots.reserve(uid)
  slots.release('a')
  assert.deepEqual([slots.isReserved('a'), slots.isReserved('b'), slots.isReserved('c')], [false, true, false])
  await clock.advance(30_000)
  assert.equal(slots.isReserved('b'), false)
})
