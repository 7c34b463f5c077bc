import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { decide } from './decide.ts'
import type { GuestFacts, Observed, Settings } from './guests/facts.ts'
import { guest, settings, stoppable, observedState } from './guests/guests.fixture.ts'
import { parseWindows } from '#features/cluster-config/index.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const moving = { isOurs: true, isEarly: false }

/**
 * Returns what is decided for a single guest: `migrate`, `evict`, `cancel`, the reason it waits
 * for, or `nothing`.
 */
function outcome(one: GuestFacts, observed: Partial<Observed> = {}, changes: Partial<Settings> = {}): string {
  const { migrate, evict, cancel, waiting } = decide(observedState([one], observed), { ...settings, ...changes }, now)
  const done = [...migrate.map(() => 'migrate'), ...evict.map(() => 'evict'), ...cancel.map(() => 'cancel')]
  return [...done, ...waiting.map(({ state }) => state.reason)].join() || 'nothing'
}

suite('decide(): a guest', () => {
  const failed = (...secondsAgo: number[]) => ({ failures: secondsAgo.map((ago) => now - ago * 1000), lastReason: 'x' })
  const closed = { windows: parseWindows('Sun 00:00-24:00') }
  const old = {
    nodes: [
      { name: 'n1', isSchedulable: true, isUpdated: true },
      { name: 'n2', isSchedulable: true, isUpdated: false },
    ],
  }
  const onlyEvict = { methods: ['Evict'] as const }
  const onlyMigrate = { methods: ['LiveMigrate'] as const }
  const broken = { classes: new Map([['q35/Skylake from v1', { successes: 0, failures: 3, lastReason: 'bad CPU', inFlight: 0 }]]) }
  const rows: readonly (readonly [string, string, GuestFacts, Partial<Observed>?, Partial<Settings>?])[] = [
    ['in an old image is migrated', 'migrate', guest('a')],
    ['in the wanted image is not updated', 'nothing', guest('a', { image: 'v2' })],
    ['with an unknown image is not updated', 'nothing', guest('a', { image: '' })],
    ['whose owner has disabled updates is not updated', 'nothing', guest('a', { isOptedOut: true })],
    ['that is migrating delays its update', 'Migrating', guest('a', { migration: moving })],
    ['that is not migratable is stopped if it may be', 'evict', stoppable('a')],
    ['that can neither be migrated nor stopped reports it', 'NotMigratable', stoppable('a', { evictionOutcome: 'block' })],
    ['that is not migratable waits without the method Evict', 'NotMigratable', stoppable('a'), {}, onlyMigrate],
    ['that an eviction would migrate is not evicted', 'MethodNotEnabled', guest('a'), {}, onlyEvict],
    ['with eviction strategy External is not evicted', 'MethodNotEnabled', guest('a', { evictionOutcome: 'external' }), {}, onlyEvict],
    [
      'that is migratable and may be stopped is stopped with the method Evict only',
      'evict',
      guest('a', { evictionOutcome: 'shutdown' }),
      {},
      onlyEvict,
    ],
    ['is not updated without methods', 'MethodNotEnabled', guest('a'), {}, { methods: [] }],
    ['is not updated while updates are paused', 'Paused', guest('a'), {}, { isPaused: true }],
    ['is not updated outside of windows', 'ExcludedByWindow', guest('a'), {}, closed],
    ['is not evicted outside of windows', 'ExcludedByWindow', stoppable('a'), {}, closed],
    ['waits until another node is updated', 'NoTarget', guest('a'), old],
    ['is migrated to the updated node', 'migrate', guest('a', { node: 'n2' }), old],
    ['is suspended with its class', 'ClassStopped', guest('a'), broken],
    ['of another class is not suspended', 'migrate', guest('a', { hardware: 'other' }), broken],
    ['that has failed waits', 'Backoff', guest('a', { attempts: failed(10) })],
    ['that has failed some time ago is retried', 'migrate', guest('a', { attempts: failed(21) })],
    ['that has failed five times waits for an hour', 'Backoff', guest('a', { attempts: failed(3000, 2500, 2000, 1500, 1000) })],
    ['with a pending hotplug is migrated', 'migrate', guest('a', { image: 'v2', isPlugging: true })],
    ['with a pending hotplug does not wait for windows', 'migrate', guest('a', { isPlugging: true }), {}, closed],
    ['with a pending hotplug does not wait for its class', 'migrate', guest('a', { isPlugging: true }), broken],
    ['with a pending hotplug does not wait for nodes to be updated', 'migrate', guest('a', { isPlugging: true }), old],
    ['with a pending hotplug is never stopped for it', 'NotMigratable', stoppable('a', { isPlugging: true })],
    [
      'with a pending hotplug is never stopped, also without the method LiveMigrate',
      'MethodNotEnabled',
      guest('a', { evictionOutcome: 'shutdown', isPlugging: true }),
      {},
      onlyEvict,
    ],
    ['whose migration became unnecessary stays', 'cancel', guest('a', { image: 'v2', migration: { isOurs: true, isEarly: true } })],
    ['with an advanced migration continues', 'nothing', guest('a', { image: 'v2', migration: moving })],
    ['keeps the migration of a user', 'nothing', guest('a', { image: 'v2', migration: { isOurs: false, isEarly: true } })],
  ]
  for (const [name, wanted, one, observed, changes] of rows) test(name, () => assert.equal(outcome(one, observed, changes), wanted))
})

suite('decide(): of many guests', () => {
  const keys = (guests: readonly GuestFacts[]): string => guests.map(({ key }) => key).join(' ')
  const at = (node: string, ...names: string[]): GuestFacts[] => names.map((name, index) => guest(name, { node, startedAt: index }))

  test('respects the limits per cluster and per node, including migrations of others', () => {
    const many = [...at('n1', 'a', 'b', 'c', 'd'), ...at('n2', 'e', 'f', 'g', 'h')]
    assert.equal(keys(decide(observedState(many), settings, now).migrate), 'a e b f')
    assert.equal(keys(decide(observedState(many, { outgoingByNode: new Map([['n2', 1]]) }), settings, now).migrate), 'a e b')
    assert.equal(keys(decide(observedState(many, { outgoingByNode: new Map([['n3', 4]]) }), settings, now).migrate), '')
    assert.equal(keys(decide(observedState(at('n1', 'a', 'b', 'c')), settings, now).migrate), 'a b')
  })

  test('orders by pending hotplug, image version, number of failures, then start time', () => {
    const many = [
      guest('new', { image: 'v10', hardware: 'x' }),
      guest('late', { startedAt: 9 }),
      guest('early', { startedAt: 1 }),
      guest('failed', { attempts: { failures: [0], lastReason: '' } }),
      guest('plugged', { isPlugging: true, image: 'v10', startedAt: 99 }),
    ]
    const all = { ...settings, maxPerCluster: 9, maxOutboundPerNode: 9 }
    for (const guests of [many, many.toReversed()]) {
      assert.equal(keys(decide(observedState(guests, { image: 'v11' }), all, now).migrate), 'plugged early late failed new')
    }
  })

  test('updates one canary of each class without a success, and the others wait for it', () => {
    const many = [guest('a'), guest('b'), guest('c', { hardware: 'other' }), guest('d', { hardware: 'other' })]
    const { migrate, waiting } = decide(observedState(many, { classes: new Map() }), settings, now)
    assert.equal(keys(migrate), 'a c')
    assert.deepEqual(
      waiting.map(({ guest: { key }, state }) => `${key} ${state.reason}`),
      ['b WaitingForCanary', 'd WaitingForCanary'],
    )
    const underWay = new Map([['q35/Skylake from v1', { successes: 0, failures: 1, lastReason: 'x', inFlight: 1 }]])
    assert.equal(
      keys(decide(observedState([guest('a', { migration: moving }), guest('b')], { classes: underWay }), settings, now).migrate),
      '',
    )
  })

  test('evicts in batches, of which the first is one guest', () => {
    const many = ['a', 'b', 'c', 'd', 'e'].map((key) => stoppable(key))
    const first = decide(observedState(many), settings, now)
    assert.deepEqual([keys(first.evict), first.recheckAt], ['a', now + 60_000])
    const early = decide(observedState(many, { lastBatchAt: now - 59_000 }), settings, now)
    assert.deepEqual([keys(early.evict), early.recheckAt], ['', now + 1000])
    assert.equal(keys(decide(observedState(many, { lastBatchAt: now - 60_000 }), settings, now).evict), 'a b c')
  })

  test('counts outdated guests, without those that only have a pending hotplug', () => {
    const many = [
      guest('a'),
      guest('b', { isOptedOut: true }),
      guest('c', { image: 'v2', isPlugging: true }),
      stoppable('d', { evictionOutcome: 'block' }),
    ]
    assert.equal(decide(observedState(many), settings, now).outdated, 3)
  })
})
