import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '#runtime/virtual-clock.ts'
import { createReservedSlots } from './reserved-slots.ts'

test('a place is given until it is taken back, or was not taken for long', async () => {
  const clock = createVirtualClock()
  const places = createReservedSlots(clock)
  for (const uid of ['a', 'b']) places.give(uid)
  places.takeBack('a')
  assert.deepEqual([places.isGiven('a'), places.isGiven('b'), places.isGiven('c')], [false, true, false])
  await clock.advance(30_000)
  assert.equal(places.isGiven('b'), false)
})
