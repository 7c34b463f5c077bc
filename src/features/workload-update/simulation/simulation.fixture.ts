import assert from 'node:assert/strict'
import { windowAt } from '#features/cluster-config/index.ts'
import type { SeededRandom } from '#runtime/process/seeded-random.fixture.ts'
import { decide, type Decision } from '../decide.ts'
import type { Settings } from '../guests/facts.ts'
import { SimulatedCluster, type SimulatedGuest, type SimulatedMigration } from './cluster.fixture.ts'

/** Result of a run. */
export interface Outcome {
  readonly cluster: SimulatedCluster
  readonly decisions: number
  readonly last: Decision
  /** All migrations and evictions, in order. */
  readonly trace: readonly string[]
}

/** A migration or eviction. */
interface Begun {
  readonly at: number
  readonly key: string
  readonly kind: 'evict' | 'update' | 'plug'
}

/** Minimum milliseconds between two passes. */
const pauseMs = 5_000

/**
 * Runs updates on a virtual clock until nothing is left to do or time is over, and checks every
 * limit with each action. `wrong` settings, which decide but are not checked, test the checks.
 */
export function simulate(
  seeded: SeededRandom,
  size: { readonly nodes: number; readonly guests: number },
  settings: Settings,
  { hours, wrong = settings }: { readonly hours: number; readonly wrong?: Settings },
): Outcome {
  const cluster = new SimulatedCluster(seeded, size)
  const begun: Begun[] = []
  const until = cluster.nowMs + hours * 3_600_000
  for (let decisions = 1; ; decisions++) {
    disturb(cluster, seeded)
    const decision = decide(cluster.observed(), wrong, cluster.nowMs)
    const before = begun.length
    for (const { key } of decision.migrate) begun.push(begin(cluster, key))
    if (decision.evict.length > 0) cluster.lastBatchAt = cluster.nowMs
    for (const { key } of decision.evict) begun.push(evict(cluster, key))
    check(cluster, settings, begun, begun.length - before)
    const next = nextAt(cluster, decision)
    if (next === Infinity || next > until) {
      return { cluster, decisions, last: decision, trace: begun.map(({ at, key, kind }) => `${at} ${kind} ${key}`) }
    }
    cluster.pass(next)
  }
}

function begin(cluster: SimulatedCluster, key: string): Begun {
  const guest = guestOf(cluster, key)
  assert.ok(guest.migration === undefined && guest.notMigratable === undefined, `${key} cannot be moved now`)
  const migration = cluster.move(guest, true)
  assert.ok(migration !== undefined, `${key} has nowhere to go`)
  return { at: cluster.nowMs, key, kind: migration.forImage ? 'update' : 'plug' }
}

function evict(cluster: SimulatedCluster, key: string): Begun {
  const guest = guestOf(cluster, key)
  assert.equal(guest.evictionOutcome, 'shutdown', `${key} must not be stopped`)
  assert.equal(guest.isPlugging, false, `${key} would be stopped for what was plugged in`)
  cluster.evict(guest)
  return { at: cluster.nowMs, key, kind: 'evict' }
}

function guestOf(cluster: SimulatedCluster, key: string): SimulatedGuest {
  const guest = cluster.guests.find((one) => one.key === key)
  assert.ok(guest !== undefined && !guest.isOptedOut, `${key} is to be left alone`)
  return guest
}

/** Lets users migrate guests and hotplug. The migration controller applies its limits to them. */
function disturb(cluster: SimulatedCluster, seeded: SeededRandom): void {
  const guest = cluster.guests[seeded.below(cluster.guests.length)]
  if (guest === undefined || guest.migration !== undefined || guest.backAt !== undefined || guest.notMigratable !== undefined) return
  const whim = seeded.below(100)
  if (whim < 2) guest.isPlugging = true
  else if (whim < 4 && cluster.migrations.size < 3) cluster.move(guest, false)
}

function check(cluster: SimulatedCluster, settings: Settings, begun: readonly Begun[], news: number): void {
  const { nowMs } = cluster
  const running = [...cluster.migrations]
  assert.ok(running.length <= settings.maxPerCluster, 'too many move in the cluster')
  for (const [node, leaving] of Map.groupBy(running, ({ source }) => source)) {
    assert.ok(leaving.length <= settings.maxOutboundPerNode, `too many leave ${node}`)
  }
  assert.equal(new Set(running.map(({ guest }) => guest)).size, running.length, 'a guest moves twice')
  const evicted = begun.filter(({ at, kind }) => kind === 'evict' && at > nowMs - settings.batchIntervalMs)
  assert.ok(evicted.length <= settings.batchSize, 'too many are evicted at a time')
  const updating = running.filter(({ forImage }) => forImage)
  for (const migration of updating) checkClass(cluster, migration, updating)
  if (windowAt(settings.windows, nowMs).isOpen) return
  assert.ok(
    begun.slice(begun.length - news).every(({ kind }) => kind === 'plug'),
    'an update began outside of a window',
  )
}

function checkClass(
  { classes, nodes }: SimulatedCluster,
  { className, target }: SimulatedMigration,
  updating: readonly SimulatedMigration[],
): void {
  const record = classes.get(className)
  const alike = updating.filter((other) => other.className === className)
  if (record?.successes === 0) {
    assert.equal(alike.length, 1, `more than one goes first of ${className}`)
    assert.ok(record.failures < 3, `${className} was given up`)
  }
  assert.equal(nodes.find(({ name }) => name === target)?.isUpdated, true, `${target} is not updated`)
}

/** Returns the next time at which anything can change. */
function nextAt(cluster: SimulatedCluster, { recheckAt }: Decision): number {
  const ends = [...cluster.migrations].map(({ endsAt }) => endsAt)
  const updates = cluster.nodes.filter(({ isUpdated }) => !isUpdated).map(({ updatedAt }) => updatedAt)
  const backs = cluster.guests.flatMap(({ backAt }) => backAt ?? [])
  return Math.max(Math.min(recheckAt, ...ends, ...updates, ...backs), cluster.nowMs + pauseMs)
}
