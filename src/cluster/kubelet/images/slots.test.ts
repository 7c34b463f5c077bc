import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSlots } from './slots.ts'

test('at most so many run at once, in order, also after failures', async () => {
  const slots = createSlots(2)
  const began: number[] = []
  const finish: (() => void)[] = []
  const all = [0, 1, 2, 3, 4].map((index) =>
    slots.run(async () => {
      began.push(index)
      await new Promise<void>((resolve, reject) => void finish.push(index % 2 === 0 ? resolve : () => reject(new RangeError('no'))))
    }),
  )
  const outcomes = Promise.allSettled(all)
  for (let ended = 0; ended < 5; ended++) {
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(began, [0, 1, 2, 3, 4].slice(0, ended + 2))
    finish[ended]?.()
  }
  assert.deepEqual(
    (await outcomes).map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled'],
  )
})
