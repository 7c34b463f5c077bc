import assert from 'node:assert/strict'
import test from 'node:test'
import { configMaps } from '#api/core/v1/resources.ts'
import { FakeApi } from '../cache/fake-api.fixture.ts'
import { LeadershipLost } from '../leader-election/leadership-lost.ts'
import { silentLogger } from '../process/log.ts'
import { createVirtualClock } from '../clock/virtual-clock.ts'
import { createController } from './controller.ts'
import { recheckIn, done, TerminalError } from './reconcile.ts'
import type { Request, Result } from './reconcile.ts'
import { channelSource } from './source.ts'
import { withSignal } from './with-signal.ts'

function start(reconciler: (request: Request, context: { signal: AbortSignal }) => Promise<Result>, concurrency = 1) {
  const clock = createVirtualClock()
  const source = channelSource()
  const stop = new AbortController()
  const controller = createController({ name: 'test', reconciler, sources: [source], concurrency, clock, log: silentLogger })
  const running = controller.run(stop.signal)
  return { clock, source, stop, running }
}

test('createController() retries a failed request with increasing delays and resets them after a success', async () => {
  const times: number[] = []
  const { clock, source, stop, running } = start(async () => {
    times.push(clock.now())
    if (times.length % 4 !== 0) throw new Error('not yet')
    return done
  })
  const origin = clock.now()
  source.enqueue({ namespace: 'a', name: 'b' })
  await clock.advance(1000)
  source.enqueue({ namespace: 'a', name: 'b' })
  await clock.advance(1000)
  stop.abort()
  await running
  assert.deepEqual(
    times.map((time) => time - origin),
    [0, 5, 15, 35, 1000, 1005, 1015, 1035],
  )
})

test('createController() does not retry a terminal error, but reconciles again on a change', async () => {
  let calls = 0
  const { clock, source, stop, running } = start(async () => {
    calls++
    throw new TerminalError('hopeless')
  })
  source.enqueue({ namespace: '', name: 'x' })
  await clock.advance(3_600_000)
  assert.equal(calls, 1)
  source.enqueue({ namespace: '', name: 'x' })
  await clock.advance(0)
  assert.equal(calls, 2)
  stop.abort()
  await running
})

test('createController() reconciles again after the time in the result', async () => {
  const times: number[] = []
  const { clock, source, stop, running } = start(async () => {
    times.push(clock.now())
    return recheckIn(60_000)
  })
  const origin = clock.now()
  source.enqueue({ namespace: 'a', name: 'b' })
  await clock.advance(150_000)
  stop.abort()
  await running
  assert.deepEqual(
    times.map((time) => time - origin),
    [0, 60_000, 120_000],
  )
})

test('createController() lets running reconciles finish, and aborts them only after the grace period', async () => {
  const { clock, source, stop, running } = start(async (_request, { signal }) => {
    await clock.sleep(60_000, signal)
    return done
  })
  source.enqueue({ namespace: 'a', name: 'b' })
  await clock.advance(1)
  let ended = false
  void running.then(() => (ended = true))
  stop.abort()
  await clock.advance(9_999)
  assert.equal(ended, false)
  await clock.advance(1)
  assert.equal(ended, true)
})

test('createController() aborts a reconciler blocked in a client call when the lease is lost, and it writes nothing afterwards', async () => {
  const api = new FakeApi()
  const answered = Promise.withResolvers<void>()
  // A server that is slow to answer, over a connection that notices the signal.
  api.before = (verb, signal) =>
    verb !== 'get'
      ? Promise.resolve()
      : new Promise((resolve, reject) => {
          void answered.promise.then(resolve)
          signal?.addEventListener('abort', () => reject(signal.reason as Error))
        })
  const object = { metadata: { namespace: 'a', name: 'b' } }
  const { clock, source, stop, running } = start(async (request, { signal }) => {
    const client = withSignal(api, signal)
    // A reconciler that treats any read error as absence must not create either.
    await client.get(configMaps, request).catch(() => {})
    await client.create(configMaps, object)
    return done
  })
  source.enqueue({ namespace: 'a', name: 'b' })
  await clock.advance(1)
  assert.deepEqual(api.calls, ['get'])
  stop.abort(new LeadershipLost('taken by another replica'))
  await running
  answered.resolve()
  await clock.advance(60_000)
  assert.deepEqual(api.calls, ['get'])
  assert.deepEqual(api.stored(configMaps), [])
})
