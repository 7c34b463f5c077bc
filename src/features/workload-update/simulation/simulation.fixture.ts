import assert from 'node:assert/strict'
import { windowAt } from '#features/cluster-config/index.ts'
import type { SeededRandom } from '#runtime/seeded-random.fixture.ts'
import { decide, type Decision } from '../decide.ts'
import type { Settings } from '../guests/facts.ts'
import { Fleet, type SimulatedGuest, type SimulatedMigration } from './cluster.fixture.ts'

/** What a run came to. */
export interface Outcome {
  readonly fleet: Fleet
  readonly decisions: number
  readonly last: Decision
  /** Everything that was begun, in order. */
  readonly trace: readonly string[]
}

/** Something that was begun. */
interface Begun {
  readonly at: number
  readonly key: string
  readonly kind: 'evict' | 'update' | 'plug'
}

/** Not sooner than after so many milliseconds is it looked at again. */
const pauseMs = 5_000

/**
 * Runs updates on a virtual clock until nothing is left to do or the time is over, and checks every
 * limit whenever anything is begun. `wrong` is for a test of the checks: settings that are decided
 * by instead of those that are checked.
 */
export function simulate(
  seeded: SeededRandom,
  size: { readonly nodes: number; readonly guests: number },
  settings: Settings,
  { hours, wrong = settings }: { readonly hours: number; readonly wrong?: Settings },
): Outcome {
  const fleet = new Fleet(seeded, size)
  const begun: Begun[] = []
  const until = fleet.nowMs + hours * 3_600_000
  for (let decisions = 1; ; decisions++) {
    disturb(fleet, seeded)
    const decision = decide(fleet.observed(), wrong, fleet.nowMs)
    const before = begun.length
    for (const { key } of decision.migrate) begun.push(begin(fleet, key))
    if (decision.evict.length > 0) fleet.lastBatchAt = fleet.nowMs
    for (const { key } of decision.evict) begun.push(evict(fleet, key))
    check(fleet, settings, begun, begun.length - before)
    const next = nextAt(fleet, decision)
    if (next === Infinity || next > until) {
      return { fleet, decisions, last: decision, trace: begun.map(({ at, key, kind }) => `${at} ${kind} ${key}`) }
    }
    fleet.pass(next)
  }
}

function begin(fleet: Fleet, key: string): Begun {
  const guest = guestOf(fleet, key)
  assert.ok(guest.migration === undefined && guest.notMigratable === undefined, `${key} cannot be moved now`)
  const migration = fleet.move(guest, true)
  assert.ok(migration !== undefined, `${key} has nowhere to go`)
  return { at: fleet.nowMs, key, kind: migration.forImage ? 'update' : 'plug' }
}

function evict(fleet: Fleet, key: string): Begun {
  const guest = guestOf(fleet, key)
  assert.equal(guest.evictionOutcome, 'shutdown', `${key} must not be stopped`)
  assert.equal(guest.isPlugging, false, `${key} would be stopped for what was plugged in`)
  fleet.evict(guest)
  return { at: fleet.nowMs, key, kind: 'evict' }
}

function guestOf(fleet: Fleet, key: string): SimulatedGuest {
  const guest = fleet.guests.find((one) => one.key === key)
  assert.ok(guest !== undefined && !guest.isOptedOut, `${key} is to be left alone`)
  return guest
}

/** Users move guests, and plug things in. The migration controller keeps to the limits for them. */
function disturb(fleet: Fleet, seeded: SeededRandom): void {
  const guest = fleet.guests[seeded.below(fleet.guests.length)]
  if (guest === undefined || guest.migration !== undefined || guest.backAt !== undefined || guest.notMigratable !== undefined) return
  const whim = seeded.below(100)
  if (whim < 2) guest.isPlugging = true
  else if (whim < 4 && fleet.migrations.size < 3) fleet.move(guest, false)
}

function check(fleet: Fleet, settings: Settings, begun: readonly Begun[], news: number): void {
  const { nowMs } = fleet
  const running = [...fleet.migrations]
  assert.ok(running.length <= settings.maxPerCluster, 'too many move in the cluster')
  for (const [node, leaving] of Map.groupBy(running, ({ source }) => source)) {
    assert.ok(leaving.length <= settings.maxOutboundPerNode, `too many leave ${node}`)
  }
  assert.equal(new Set(running.map(({ guest }) => guest)).size, running.length, 'a guest moves twice')
  const evicted = begun.filter(({ at, kind }) => kind === 'evict' && at > nowMs - settings.batchIntervalMs)
  assert.ok(evicted.length <= settings.batchSize, 'too many are evicted at a time')
  const updating = running.filter(({ forImage }) => forImage)
  for (const migration of updating) checkClass(fleet, migration, updating)
  if (windowAt(settings.windows, nowMs).isOpen) return
  assert.ok(
    begun.slice(begun.length - news).every(({ kind }) => kind === 'plug'),
    'an update began outside of a window',
  )
}

function checkClass({ classes, nodes }: Fleet, { className, target }: SimulatedMigration, updating: readonly SimulatedMigration[]): void {
  const record = classes.get(className)
  const alike = updating.filter((other) => other.className === className)
  if (record?.successes === 0) {
    assert.equal(alike.length, 1, `more than one goes first of ${className}`)
    assert.ok(record.failures < 3, `${className} was given up`)
  }
  assert.equal(nodes.find(({ name }) => name === target)?.isUpdated, true, `${target} is not updated`)
}

/** The next moment at which anything can be different. */
function nextAt(fleet: Fleet, { recheckAt }: Decision): number {
  const ends = [...fleet.migrations].map(({ endsAt }) => endsAt)
  const updates = fleet.nodes.filter(({ isUpdated }) => !isUpdated).map(({ updatedAt }) => updatedAt)
  const backs = fleet.guests.flatMap(({ backAt }) => backAt ?? [])
  return Math.max(Math.min(recheckAt, ...ends, ...updates, ...backs), fleet.nowMs + pauseMs)
}
