import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { leases } from '#api/coordination/v1/resources.ts'
import type { Lease } from '#api/coordination/v1/lease.ts'
import { TransportError } from '#client/client.ts'
import { FakeApi } from '../cache/fake-api.fixture.ts'
import { silentLogger } from '../process/log.ts'
import { createVirtualClock } from '../clock/virtual-clock.ts'
import type { VirtualClock } from '../clock/virtual-clock.ts'
import { createLeaderElector } from './elector.ts'
import type { LeaseClient } from './elector.ts'
import { LeadershipLost } from './leadership-lost.ts'

/**
 * Time that the led work takes to stop: less than the lease duration minus the renewal deadline.
 */
const stopMs = 3_000

/** A process that campaigns, over a network of its own. */
class Candidate {
  leading = false
  network: 'up' | 'down' | 'dead' = 'up'
  /** Milliseconds to the server, and back. */
  latency = { thereMs: 10, backMs: 10 }
  readonly stop = new AbortController()
  readonly ended: Promise<'stopped' | 'lost' | 'other'>
  readonly #clock: VirtualClock

  constructor(identity: string, api: FakeApi, clock: VirtualClock, onLead: () => void) {
    this.#clock = clock
    const elector = createLeaderElector({
      client: this.#client(api),
      namespace: 'kube-system',
      name: 'test',
      identity,
      clock,
      log: silentLogger,
      random: () => 0.5,
    })
    this.ended = elector
      .run(this.stop.signal, async (signal) => {
        this.leading = this.network !== 'dead'
        onLead()
        await new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => resolve(), { once: true })
          if (signal.aborted) resolve()
        })
        await clock.sleep(stopMs)
        this.leading = false
      })
      .then(
        () => 'stopped' as const,
        (error: unknown) => (error instanceof LeadershipLost ? ('lost' as const) : ('other' as const)),
      )
  }

  /** Returns the result, or that it is still running. */
  state(): Promise<string> {
    return Promise.race([this.ended, Promise.resolve('running')])
  }

  /** Killed: it does nothing any more, and gives nothing back. */
  kill(): void {
    this.network = 'dead'
    this.leading = false
    this.stop.abort()
  }

  #client(api: FakeApi): LeaseClient {
    const call = async <R>(signal: AbortSignal | undefined, run: () => Promise<R>): Promise<R> => {
      await this.#travel(this.latency.thereMs, signal)
      const result = await run().then(
        (value) => () => value,
        (error: unknown) => () => {
          throw error
        },
      )
      await this.#travel(this.latency.backMs, signal)
      return result()
    }
    return {
      get: (resource, key, options) => call(options?.signal, () => api.get(resource, key)),
      create: (resource, object, options) => call(options?.signal, () => api.create(resource, object)),
      update: (resource, object, options) => call(options?.signal, () => api.update(resource, object)),
    }
  }

  async #travel(ms: number, signal: AbortSignal | undefined): Promise<void> {
    if (this.network === 'dead') await new Promise(() => {})
    if (this.network === 'down') {
      await this.#clock.sleep(30_000, signal)
      throw new TransportError('no answer')
    }
    await this.#clock.sleep(ms, signal)
  }
}

/** Counts leaders at each call, and returns the maximum. */
function watchOver(all: readonly Candidate[]): () => number {
  let most = 0
  return () => (most = Math.max(most, all.filter((candidate) => candidate.leading).length))
}

function leaseOf(api: FakeApi): Lease | undefined {
  return api.stored(leases)[0] as Lease | undefined
}

test('createLeaderElector() releases the lease when it is stopped, so that the next candidate leads at once', async () => {
  const [api, clock] = [new FakeApi(), createVirtualClock()]
  const first = new Candidate('a', api, clock, () => {})
  await clock.advance(100)
  assert.equal(first.leading, true)
  const second = new Candidate('b', api, clock, () => {})
  await clock.advance(60_000)
  assert.deepEqual([first.leading, second.leading], [true, false])
  first.stop.abort()
  await clock.advance(stopMs + 3_000)
  assert.deepEqual([first.leading, second.leading], [false, true])
  assert.equal(await first.ended, 'stopped')
  assert.equal(leaseOf(api)?.spec?.leaseTransitions, 1)
  second.stop.abort()
  await clock.advance(10_000)
  assert.equal(leaseOf(api)?.spec?.holderIdentity, '')
  assert.equal(clock.pending, 0)
})

test('createLeaderElector() leads again at once after a crash, by its identity; another one waits for the lease to expire', async () => {
  const [api, clock] = [new FakeApi(), createVirtualClock()]
  const first = new Candidate('a', api, clock, () => {})
  await clock.advance(100)
  first.kill()
  const other = new Candidate('b', api, clock, () => {})
  const again = new Candidate('a', api, clock, () => {})
  await clock.advance(100)
  assert.deepEqual([again.leading, other.leading], [true, false])
  again.kill()
  await clock.advance(14_000)
  assert.equal(other.leading, false)
  await clock.advance(4_000)
  assert.equal(other.leading, true)
  other.kill()
  await clock.advance(10_000)
})

test('createLeaderElector() stops leading in time when it cannot renew, with the reason', async () => {
  const [api, clock] = [new FakeApi(), createVirtualClock()]
  const only = new Candidate('a', api, clock, () => {})
  await clock.advance(20_000)
  only.network = 'down'
  await clock.advance(10_001 + stopMs)
  assert.equal(only.leading, false)
  assert.equal(await only.ended, 'lost')
})

test('createLeaderElector() counts its deadline from the request, not from a delayed response', async () => {
  const [api, clock] = [new FakeApi(), createVirtualClock()]
  const all: Candidate[] = []
  const check = watchOver(all)
  const slow = new Candidate('a', api, clock, check)
  all.push(slow)
  slow.latency = { thereMs: 10, backMs: 4_000 }
  await clock.advance(4_040)
  all.push(new Candidate('b', api, clock, check))
  assert.equal(await clock.runUntil(() => slow.leading, 10_000), true)
  slow.network = 'down'
  await clock.advance(30_000)
  assert.equal(check(), 1)
  assert.deepEqual(
    all.map((candidate) => candidate.leading),
    [false, true],
  )
  for (const candidate of all) candidate.kill()
  await clock.advance(60_000)
})

test('createLeaderElector() stops leading when another identity holds the lease', async () => {
  const [api, clock] = [new FakeApi(), createVirtualClock()]
  const only = new Candidate('a', api, clock, () => {})
  await clock.advance(100)
  const lease = leaseOf(api)
  assert.ok(lease)
  await api.update(leases, { ...lease, spec: { ...lease.spec, holderIdentity: 'thief' } })
  await clock.advance(2_500 + stopMs)
  assert.equal(await only.ended, 'lost')
  assert.equal(leaseOf(api)?.spec?.holderIdentity, 'thief')
})

test('createLeaderElector() refuses inconsistent durations', () => {
  const make = (times: object) => () =>
    createLeaderElector({
      client: new FakeApi(),
      namespace: 'a',
      name: 'b',
      identity: 'c',
      clock: createVirtualClock(),
      log: silentLogger,
      ...times,
    })
  assert.throws(make({ renewDeadlineMs: 15_000 }), RangeError)
  assert.throws(make({ retryMs: 9_000 }), RangeError)
})

/** Default of the elector. */
const renewDeadlineMs = 10_000

const latency = fc.constantFrom(10, 900, 4_000, 9_500, 20_000)
const step = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('kill', 'stop' as const), who: fc.nat(1) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('down', 'up' as const), who: fc.nat(1) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('slow' as const), who: fc.nat(1), thereMs: latency, backMs: latency }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('erase' as const) }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 20_000 }) }) },
)

test('of two candidates at most one leads at any time, and one leads as soon as possible', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const [api, clock] = [new FakeApi(), createVirtualClock()]
      const all: Candidate[] = []
      const check = watchOver(all)
      const start = (who: number): Candidate => {
        const candidate = new Candidate(`candidate-${who}`, api, clock, check)
        all.push(candidate)
        return candidate
      }
      const current = [start(0), start(1)] as [Candidate, Candidate]
      for (const one of steps) {
        if (one.kind === 'wait') await clock.advance(one.ms)
        // Erasing a lease that is held results in two leaders for a moment, in every
        // implementation, also when the response that tells its holder is still under way.
        else if (one.kind === 'erase') {
          if (!isHeld(leaseOf(api), clock.now())) await api.delete(leases, { namespace: 'kube-system', name: 'test' }).catch(() => {})
        } else await disturb(one, current, start, clock)
        assert.ok(check() <= 1, 'two leaders')
      }
      for (const [who, candidate] of current.entries()) {
        candidate.network = 'up'
        candidate.latency = { thereMs: 10, backMs: 10 }
        if ((await candidate.state()) !== 'running') current[who] = start(who)
      }
      await clock.advance(60_000)
      // One may have lost the lease since: its process would have been started again.
      for (const [who, candidate] of current.entries()) {
        if ((await candidate.state()) !== 'running') current[who] = start(who)
      }
      await clock.advance(30_000)
      assert.equal(current.filter((candidate) => candidate.leading).length, 1)
      assert.equal(check(), 1)
      for (const candidate of all) candidate.kill()
      await clock.advance(60_000)
    }),
    { numRuns: 60 },
  )
})

/** Reports whether a process may act on the lease now, or after a response that is under way. */
function isHeld(lease: Lease | undefined, nowMs: number): boolean {
  const { holderIdentity, renewTime } = lease?.spec ?? {}
  if (holderIdentity === undefined || holderIdentity === '' || renewTime === undefined) return false
  return nowMs - Date.parse(renewTime) <= renewDeadlineMs + stopMs
}

async function disturb(
  one: { kind: 'kill' | 'stop' | 'down' | 'up'; who: number } | { kind: 'slow'; who: number; thereMs: number; backMs: number },
  current: [Candidate, Candidate],
  start: (who: number) => Candidate,
  clock: VirtualClock,
): Promise<void> {
  const candidate = current[one.who === 0 ? 0 : 1]
  switch (one.kind) {
    case 'down':
    case 'up':
      candidate.network = one.kind
      return
    case 'slow':
      candidate.latency = { thereMs: one.thereMs, backMs: one.backMs }
      return
    case 'kill':
      candidate.kill()
      current[one.who === 0 ? 0 : 1] = start(one.who)
      return
    case 'stop':
      candidate.stop.abort()
      // A process that stops gracefully is restarted only after it has ended: two processes with
      // one identity must not run at once.
      await clock.advance(stopMs + 5_000)
      candidate.kill()
      current[one.who === 0 ? 0 : 1] = start(one.who)
  }
}
