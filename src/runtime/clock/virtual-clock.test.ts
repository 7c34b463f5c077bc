import assert from 'node:assert/strict'
import test from 'node:test'
import { createVirtualClock } from './virtual-clock.ts'

test('advance() fires timers in the order of their times, with the time that each was set for', async () => {
  const clock = createVirtualClock(0)
  const seen: [string, number][] = []
  clock.after(30, () => seen.push(['c', clock.now()]))
  clock.after(10, () => {
    seen.push(['a', clock.now()])
    clock.after(5, () => seen.push(['b', clock.now()]))
  })
  clock.after(10, () => seen.push(['a2', clock.now()]))[Symbol.dispose]()
  await clock.advance(20)
  assert.deepEqual(seen, [
    ['a', 10],
    ['b', 15],
  ])
  assert.equal(clock.now(), 20)
  assert.equal(clock.pending, 1)
})

test('sleep() resolves in time, settles promise chains, and rejects with the reason of its signal', async () => {
  const clock = createVirtualClock(0)
  const stop = new AbortController()
  const seen: number[] = []
  const loop = (async () => {
    for (;;) {
      await clock.sleep(7, stop.signal)
      seen.push(clock.now())
    }
  })()
  await clock.advance(21)
  assert.deepEqual(seen, [7, 14, 21])
  const reason = new Error('stop')
  stop.abort(reason)
  await assert.rejects(loop, (error) => error === reason)
  assert.equal(clock.pending, 0)
})

test('runUntil() stops at the timer that makes the condition true, or at the limit', async () => {
  const clock = createVirtualClock(0)
  let ticks = 0
  const tick = (): void => {
    ticks++
    clock.after(10, tick)
  }
  clock.after(10, tick)
  assert.equal(await clock.runUntil(() => ticks === 3, 1000), true)
  assert.equal(clock.now(), 30)
  assert.equal(await clock.runUntil(() => ticks === 100, 50), false)
})
