import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { createVirtualClock } from '../clock/virtual-clock.ts'
import type { VirtualClock } from '../clock/virtual-clock.ts'
import { createWorkqueue } from './workqueue.ts'
import type { Workqueue } from './workqueue.ts'

test('take() returns higher priorities first, and equal ones in the order in which they became ready', async () => {
  const queue = createWorkqueue<string>({ clock: createVirtualClock() })
  queue.add('low', { priority: -100 })
  queue.add('a')
  queue.add('b')
  queue.add('raised', { priority: -100 })
  queue.add('raised', { priority: 10 })
  const order = [await queue.take(), await queue.take(), await queue.take(), await queue.take()]
  assert.deepEqual(order, ['raised', 'a', 'b', 'low'])
  queue.shutDown()
})

test('add() while a worker has the item brings it back once, after the worker is done', async () => {
  const clock = createVirtualClock()
  const queue = createWorkqueue<string>({ clock })
  queue.add('a')
  assert.equal(await queue.take(), 'a')
  queue.add('a')
  queue.add('a', { afterMs: 5 })
  let again = false
  const next = queue.take().then(() => (again = true))
  await clock.advance(1000)
  assert.equal(again, false)
  queue.done('a')
  await next
  queue.done('a')
  assert.equal(queue.depth, 0)
  queue.shutDown()
})

test('add() with a higher priority while a worker has the item gives it to no second worker', async () => {
  const clock = createVirtualClock()
  const queue = createWorkqueue<string>({ clock })
  queue.add('a')
  assert.equal(await queue.take(), 'a')
  const second: (string | undefined)[] = []
  void queue.take().then((item) => second.push(item))
  queue.add('a')
  queue.add('a', { priority: 5 })
  // An unrelated item must not wake the second worker for it either.
  queue.add('b')
  await clock.settle()
  assert.deepEqual([second, queue.depth], [['b'], 0])
  queue.shutDown()
})

test('add() of a delayed item keeps the earlier time', async () => {
  const clock = createVirtualClock(0)
  const queue = createWorkqueue<string>({ clock })
  queue.add('a', { afterMs: 100 })
  queue.add('a', { afterMs: 50 })
  queue.add('a', { afterMs: 200 })
  let at = 0
  void queue.take().then(() => (at = clock.now()))
  await clock.advance(300)
  assert.equal(at, 50)
  queue.done('a')
  assert.equal(clock.pending, 0)
  queue.shutDown()
})

test('add() survives times that a platform timer cannot hold', async () => {
  const delays: number[] = []
  const clock = createVirtualClock(0)
  const queue = createWorkqueue<string>({
    clock: { ...clock, now: () => clock.now(), after: (ms) => (delays.push(ms), { [Symbol.dispose]() {} }) },
  })
  queue.add('a', { afterMs: 1e12 })
  assert.ok((delays[0] ?? Number.POSITIVE_INFINITY) < 2 ** 31)
  queue.shutDown()
})

test('add() brings delayed items in time although the clock is set back', async () => {
  const clock = createVirtualClock(1_000_000)
  let offset = 0
  const queue = createWorkqueue<string>({
    clock: { now: () => clock.now() + offset, after: (ms, callback) => clock.after(ms, callback), sleep: (ms) => clock.sleep(ms) },
  })
  queue.add('a', { afterMs: 100 })
  let taken = false
  void queue.take().then(() => (taken = true))
  offset = -900_000
  await clock.advance(100)
  assert.equal(taken, true)
  queue.shutDown()
})

test('shutDown() wakes the workers and accepts no items', async () => {
  const clock = createVirtualClock()
  const queue = createWorkqueue<string>({ clock })
  const waiting = queue.take()
  queue.add('a', { afterMs: 50 })
  queue.shutDown()
  queue.add('b')
  assert.deepEqual([await waiting, await queue.take()], [undefined, undefined])
  assert.equal(clock.pending, 0)
})

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('add' as const),
      key: fc.integer({ min: 0, max: 4 }),
      afterMs: fc.constantFrom(0, 0, 1, 10, 50),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('raise' as const),
      key: fc.integer({ min: 0, max: 4 }),
      priority: fc.integer({ min: -2, max: 2 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('fail' as const), key: fc.integer({ min: 0, max: 4 }) }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(0, 1, 7, 30) }) },
)

test('a queue with any workers never hands out a key twice at once, and never loses one', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 60 }),
      fc.integer({ min: 1, max: 3 }),
      fc.constantFrom(0, 3, 25),
      async (steps, workers, workMs) => {
        const clock = createVirtualClock(0)
        const queue = createWorkqueue<number>({ clock })
        const model = new Model(clock)
        const running = Array.from({ length: workers }, () => work(queue, clock, model, workMs))
        for (const one of steps) {
          if (one.kind === 'wait') await clock.advance(one.ms)
          else if (one.kind === 'fail') queue.addRateLimited(one.key)
          else if (one.kind === 'raise') queue.add(one.key, { priority: one.priority })
          else queue.add(one.key, { afterMs: one.afterMs })
          if (one.kind === 'add') model.added(one.key, one.afterMs)
          if (one.kind === 'raise') model.added(one.key, 0)
        }
        await clock.advance(10_000_000)
        model.assertNothingOwed()
        assert.equal(queue.depth, 0)
        queue.shutDown()
        await Promise.all(running)
        assert.equal(clock.pending, 0)
      },
    ),
    { numRuns: 200 },
  )
})

async function work(queue: Workqueue<number>, clock: VirtualClock, model: Model, workMs: number): Promise<void> {
  for (let key = await queue.take(); key !== undefined; key = await queue.take()) {
    model.taken(key)
    await clock.sleep(workMs)
    model.done(key)
    queue.done(key)
  }
}

/** For each key, the deadlines of its pending adds. */
class Model {
  readonly #clock: VirtualClock
  readonly #owed = new Map<number, number[]>()
  readonly #busy = new Set<number>()

  constructor(clock: VirtualClock) {
    this.#clock = clock
  }

  added(key: number, afterMs: number): void {
    this.#owed.set(key, [...(this.#owed.get(key) ?? []), this.#clock.now() + afterMs])
  }

  taken(key: number): void {
    assert.equal(this.#busy.has(key), false, 'one worker per key')
    this.#busy.add(key)
    // One reconcile serves all earlier adds, also delayed ones: they were merged into the earliest.
    this.#owed.delete(key)
  }

  done(key: number): void {
    this.#busy.delete(key)
  }

  assertNothingOwed(): void {
    assert.deepEqual([...this.#owed], [])
    assert.equal(this.#busy.size, 0)
  }
}
