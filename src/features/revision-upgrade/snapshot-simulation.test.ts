import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createSeededRandom } from '#runtime/process/seeded-random.fixture.ts'
import { virtualMachineSnapshotContents, virtualMachineSnapshots } from '#api/snapshot/v1beta1/resources.ts'
import { isConflict, isInvalid, isNotFound } from '#apimachinery/errors.ts'
import { TransportError } from '#client/client.ts'
import { revisionFormatOf, hasFormat, isShared, referencesOf } from '#features/instancetype/index.ts'
import type { Reconciler } from '#runtime/controller/reconcile.ts'
import { legacyShapes } from './legacy-revisions.fixture.ts'
import { Schedule } from './schedule.fixture.ts'
import { SimulatedCache } from './simulated-cache.fixture.ts'
import { snapshotResources, SimulatedSnapshots } from './simulated-snapshots.fixture.ts'
import { namespace } from './simulated-cluster.fixture.ts'
import { repeats, seed as firstSeed } from '#test/effort.ts'

const schedules = repeats({ default: 12, long: 300 })

type Random = (below: number) => number

function pick<T>(random: Random, items: readonly T[]): T {
  return items[random(items.length)] as T
}

/**
 * Looks at all snapshots again and again, with caches that lag behind, and starts anew when it is
 * killed.
 */
async function live(
  cluster: SimulatedSnapshots,
  random: Random,
  make: (cache: SimulatedCache) => Reconciler,
  isOver: () => boolean,
): Promise<void> {
  const start = (): { cache: SimulatedCache; reconcile: Reconciler } => {
    const cache = new SimulatedCache(cluster.api)
    for (const resource of snapshotResources) cache.follow(resource)
    return { cache, reconcile: make(cache) }
  }
  let process = start()
  for (let quiet = 0; quiet < 3;) {
    const before = cluster.api.changes.length
    for (const resource of snapshotResources) process.cache.follow(resource, isOver() ? 1 : random(5) / 4)
    try {
      for (const { metadata } of process.cache.lister(virtualMachineSnapshotContents).list())
        await process.reconcile({ namespace, name: metadata.name ?? '' }, { signal: new AbortController().signal })
    } catch (error) {
      if (error instanceof TransportError) process = start()
      else if (![isConflict, isInvalid, isNotFound, isForeign].some((isRetried) => isRetried(error))) throw error
    }
    quiet = isOver() && cluster.api.changes.length === before ? quiet + 1 : 0
    // Even a look that asks for nothing lets others do something.
    await new Promise(setImmediate)
  }
}

/**
 * Reports whether an upgrade failed on revisions of another snapshot. It can when its cache still
 * contains a deleted snapshot.
 */
function isForeign(error: unknown): boolean {
  return error instanceof Error && error.name === 'UnexpectedRevision'
}

/** Random edits. */
function edit(cluster: SimulatedSnapshots, random: Random, edits: number): void {
  const snapshots = cluster.api.list(virtualMachineSnapshots).map(({ metadata }) => metadata.name ?? '')
  const one = snapshots.length === 0 ? undefined : pick(random, snapshots)
  const actions: readonly (() => void)[] = [
    () => cluster.setGates(...['InstancetypeV1', 'SharedRevisions'].filter(() => random(2) === 0)),
    () => cluster.setGates(...['InstancetypeV1', 'SharedRevisions'].filter(() => random(2) === 0)),
    () => cluster.addSnapshot(`later-${edits}`, pick(random, legacyShapes), { isRetained: random(3) === 0 }),
    () => one === undefined || cluster.setRestore(one, random(2) === 0),
    () => {
      const content = cluster.contents().find(({ spec }) => spec.virtualMachineSnapshotName === one)
      if (one === undefined || content === undefined) return
      cluster.api.remove(virtualMachineSnapshotContents, { namespace, name: content.metadata.name ?? '' })
      cluster.api.remove(virtualMachineSnapshots, { namespace, name: one })
    },
  ]
  pick(random, actions)()
}

/**
 * Asserts that all revisions have the required format, and that no former ones are left. Shared and
 * ownerless revisions are collected elsewhere.
 */
function inspect(cluster: SimulatedSnapshots): void {
  const named = new Set<string>()
  const owners = new Set([...cluster.contents(), ...cluster.api.list(virtualMachineSnapshots)].map(({ metadata }) => metadata.uid))
  for (const content of cluster.contents()) {
    for (const { revision, family } of referencesOf(content)) {
      const found = cluster.revision(revision)
      assert.ok(found && hasFormat(found, family, revisionFormatOf(cluster.config)), `${revision} is not in the format`)
      named.add(revision)
    }
  }
  for (const name of cluster.revisionNames()) {
    const revision = cluster.revision(name)
    if (revision === undefined || named.has(name) || isShared(revision)) continue
    assert.ok(revision.metadata.ownerReferences?.some(({ uid }) => owners.has(uid)) === false, `${name} is left over`)
  }
}

async function play(seed: number): Promise<number> {
  const random = createSeededRandom(seed).below
  const cluster = new SimulatedSnapshots()
  for (const name of ['first', 'second']) cluster.addSnapshot(name, pick(random, legacyShapes), { isRetained: random(4) === 0 })
  const before = cluster.api.onWrite
  cluster.api.onWrite = (verb, object) => {
    before(verb, object)
    // A snapshot is put together, and taken apart, by the test.
    if (verb !== 'collect' && !isBuilding) cluster.checkSnapshots(`${verb} ${object.kind} ${object.metadata?.name}`)
  }
  let isBuilding = false
  const schedule = new Schedule(random)
  schedule.deathRate = pick(random, [0, 4, 12])
  let edits = random(10)
  const isOver = (): boolean => edits === 0
  const user = async (): Promise<void> => {
    while (edits > 0) {
      await schedule.gate('user').before('get', virtualMachineSnapshots)
      if (random(4) !== 0) continue
      isBuilding = true
      edit(cluster, random, edits)
      isBuilding = false
      edits -= 1
    }
    schedule.deathRate = 0
    for (const { metadata } of cluster.api.list(virtualMachineSnapshots)) cluster.setRestore(metadata.name ?? '', true)
  }
  const upgrader = (process: string): Promise<void> =>
    live(cluster, random, (cache) => cluster.snapshotUpgrader(cache, schedule.gate(process)), isOver)
  try {
    await schedule.run([upgrader('first'), upgrader('second'), user()])
    await cluster.settleSnapshots()
    cluster.checkSnapshots('all')
    inspect(cluster)
  } catch (error) {
    throw new assert.AssertionError({ message: `seed ${seed}: ${String(error)}` })
  }
  return schedule.deaths
}

suite('upgrades of snapshots', () => {
  test(`keep all snapshots restorable in ${schedules} schedules of two upgraders, users and kills`, async () => {
    let deaths = 0
    for (let index = 0; index < schedules; index += 1) deaths += await play(firstSeed + index)
    assert.ok(deaths > schedules / 4, `only ${deaths} deaths`)
  })
})
