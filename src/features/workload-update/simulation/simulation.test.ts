import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createSeededRandom } from '#runtime/process/seeded-random.fixture.ts'
import type { Settings } from '../guests/facts.ts'
import { simulate } from './simulation.fixture.ts'
import { settings as all } from '../guests/guests.fixture.ts'
import { parseWindows } from '#features/cluster-config/index.ts'
import { repeats, seedOr } from '#test/effort.ts'

const seed = seedOr(1)
const settings = { ...all, batchSize: 10, maxPerCluster: 50, maxOutboundPerNode: 2 }

suite(`updates of a cluster on a virtual clock, seed ${seed}`, () => {
  const size = { nodes: 100, guests: repeats({ default: 400, long: 5_000 }) }

  test('update every updatable guest, and report a reason for each other one', () => {
    const { cluster, last, decisions } = simulate(createSeededRandom(seed), size, settings, { hours: 48 })
    const outdated = cluster.guests.filter(({ image, isOptedOut }) => image !== cluster.image && !isOptedOut)
    const reasons = new Map(last.waiting.map(({ guest, state }) => [guest.key, state.reason]))
    for (const guest of outdated) {
      // A hotplug whose migration always fails is retried for ever, with long back-off.
      const wanted = guest.notMigratable !== undefined ? 'NotMigratable' : guest.isPlugging ? 'Backoff' : 'ClassStopped'
      assert.equal(reasons.get(guest.key), wanted, guest.key)
      if (guest.notMigratable === undefined) assert.match(guest.hardware, /Cursed/)
    }
    assert.ok(decisions > 10)
  })

  test('are deterministic for a seed', () => {
    const small = { nodes: 20, guests: 400 }
    const [first, second, other] = [seed, seed, seed + 1].map(
      (one) => simulate(createSeededRandom(one), small, settings, { hours: 48 }).trace,
    )
    assert.deepEqual(first, second)
    assert.notDeepEqual(first, other)
  })
})

test('updates begin within windows, and continue in the next one', () => {
  const windows = parseWindows('Sat-Sun 01:00-01:20')
  const slow = { ...settings, windows, maxPerCluster: 4 }
  const { cluster, trace } = simulate(createSeededRandom(seed), { nodes: 10, guests: 300 }, slow, { hours: 48 })
  const days = new Set(trace.filter((line) => line.includes('update')).map((line) => new Date(Number(line.split(' ')[0])).getUTCDay()))
  assert.deepEqual([...days], [6, 0])
  assert.ok(cluster.guests.some(({ image }) => image === cluster.image))
})

suite('the simulation detects that', () => {
  const rows: readonly (readonly [string, Partial<Settings>, RegExp])[] = [
    ['too many move', { maxPerCluster: 51 }, /too many move in the cluster/],
    ['too many leave one node', { maxOutboundPerNode: 3 }, /too many leave/],
    ['too many are evicted', { batchSize: 11 }, /too many are evicted/],
    ['they are evicted too soon', { batchIntervalMs: 30_000 }, /too many are evicted/],
  ]
  for (const [name, changes, message] of rows) {
    test(name, () => {
      const wrong = { ...settings, ...changes }
      assert.throws(() => simulate(createSeededRandom(seed), { nodes: 60, guests: 1500 }, settings, { hours: 9, wrong }), message)
    })
  }

  test('an update begins outside of a window', () => {
    const checked = { ...settings, windows: parseWindows('Mon 00:00-01:00') }
    assert.throws(
      () => simulate(createSeededRandom(seed), { nodes: 3, guests: 30 }, checked, { hours: 9, wrong: settings }),
      /outside of a window/,
    )
  })
})
