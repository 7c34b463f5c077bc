import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Size } from './fleet.ts'
import { isBehind, isGone, Simulation } from './simulation.ts'
import { longTest, repeats, seedOr } from '../support/effort.ts'

const seed = seedOr(1)
const guests = 200
const size: Size = {
  guests,
  nodes: Math.max(10, Math.ceil(guests / 50)),
  parallelMigrationsPerCluster: Math.max(10, Math.ceil(guests / 50)),
  parallelOutboundMigrationsPerNode: 2,
  batchEvictionSize: 5,
}
const small: Size = { guests: 60, nodes: 6, parallelMigrationsPerCluster: 6, parallelOutboundMigrationsPerNode: 2, batchEvictionSize: 3 }

async function upgraded(of: Size, from: number, checked: Partial<Size> = {}): Promise<Simulation> {
  const simulation = new Simulation(from, of, checked)
  await simulation.install()
  simulation.ask('v2.0.0')
  await untilSettled(simulation)
  return simulation
}

async function untilSettled(simulation: Simulation): Promise<void> {
  await simulation.until('the components are at v2.0.0', 30, () => simulation.isAt('v2.0.0'))
  await simulation.until('the guests are at v2.0.0', 6 * 60, () => simulation.isQuietAt('v2.0.0'))
  await simulation.until('it has been told', 5, () => isTold(simulation))
  await simulation.until('the upgrade is over', 60, () => simulation.kubevirt.status?.steadyvm?.upgrade === undefined)
  await simulation.environment.clock.advance(120_000)
  simulation.assertSettled('v2.0.0')
}

/**
 * Requests the version again after a rollback. A node that fails with the first agent of a release
 * is attributed to the release, as for a real administrator.
 */
async function requestAgain(simulation: Simulation): Promise<void> {
  if (simulation.kubevirt.status?.steadyvm?.rejected === undefined) return
  simulation.ask('v1.0.0')
  await simulation.until('it is as it was', 10, () => simulation.isAt('v1.0.0'))
  simulation.ask('v2.0.0')
}

function isTold({ kubevirt, guests: all }: Simulation): boolean {
  return (kubevirt.status?.outdatedVirtualMachineInstanceWorkloads ?? 0) === all.filter((vmi) => isBehind(vmi, 'v2.0.0')).length
}

suite(`an upgrade with the real controllers, seed ${seed}`, () => {
  test(`of ${size.nodes} nodes and ${guests} guests migrates all migratable guests, within every limit at every instant`, async (t) => {
    const simulation = await upgraded(size, seed)
    const { environment, checker, rollout } = simulation
    assert.equal(simulation.guests.filter(isGone).length, 0)
    // The limit must be reached, or it would not be tested.
    assert.equal(checker.most.moving, size.parallelMigrationsPerCluster)
    assert.equal(checker.most.leavingOneNode, size.parallelOutboundMigrationsPerNode)
    t.diagnostic(
      `${environment.api.store.writes} writes, ${JSON.stringify(checker.most)}, ${rollout.most} agents at a time, ${environment.api.store.hash()}`,
    )
  })

  longTest('writes the same history for the same seed, and another one for another seed', async () => {
    const [first, second, other] = [await upgraded(small, seed), await upgraded(small, seed), await upgraded(small, seed + 1)]
    assert.equal(first.environment.api.store.hash(), second.environment.api.store.hash())
    assert.notEqual(first.environment.api.store.hash(), other.environment.api.store.hash())
  })
})

suite('an upgrade with random faults', () => {
  const schedules = repeats({ default: 1, long: 10 })
  for (let from = seed; from < seed + schedules; from++) {
    test(`loses guests only with their node, and reaches the same final state, seed ${from}`, async (t) => {
      const simulation = new Simulation(from, small)
      const { clock } = simulation.environment
      await simulation.install()
      simulation.ask('v2.0.0')
      const faults = simulation.faults()
      const until = clock.now() + 15 * 60_000
      await simulation.until('enough has gone wrong', 20, () => clock.now() >= until)
      faults.end()
      await simulation.until('there is power everywhere', 20, () => simulation.environment.poweredOff.size === 0)
      await requestAgain(simulation)
      await untilSettled(simulation)
      t.diagnostic(JSON.stringify(Object.fromEntries(faults.counts)))
    })
  }
})

suite('a broken release', () => {
  test('runs on at most one node, and no guest is affected', async () => {
    const simulation = new Simulation(seed, small)
    const { environment, kubelets } = simulation
    await simulation.install()
    kubelets.broken.add('v2.0.0')
    simulation.ask('v2.0.0')
    await simulation.until('it is taken back', 5, () => simulation.kubevirt.status?.steadyvm?.rejected !== undefined)
    await environment.clock.advance(10 * 60_000)
    assert.equal(environment.failure, undefined)
    assert.deepEqual(new Set([...kubelets.agents.values()].map(({ version }) => version)), new Set(['v1.0.0']))
    assert.equal(kubelets.agents.size, small.nodes)
    assert.equal(simulation.plane.events.get('SuccessfulHandOver'), undefined)
    simulation.assertSettled('v1.0.0')
  })
})

suite('the simulation notices when', () => {
  const rows: readonly (readonly [string, Partial<Size>, RegExp])[] = [
    ['too many move', { parallelMigrationsPerCluster: small.parallelMigrationsPerCluster - 1 }, /too many move/],
    ['too many leave one node', { parallelOutboundMigrationsPerNode: 1 }, /too many leave/],
  ]
  for (const [name, checked, message] of rows) {
    test(name, () => assert.rejects(upgraded(small, seed, checked), message))
  }

  test('a guest runs twice', async () => {
    const simulation = new Simulation(seed, small)
    await simulation.install()
    const [vmi] = simulation.guests
    assert.throws(() => simulation.environment.hypervisor.launch('another pod', vmi?.metadata.uid ?? '', 'n5', 'running'), /runs twice/)
  })

  test('a guest is lost', async () => {
    const simulation = new Simulation(seed, small)
    await simulation.install()
    const [podUid = ''] = Object.keys(simulation.guests[0]?.status?.activePods ?? {})
    simulation.environment.hypervisor.end(podUid, 'for a test')
    assert.match(simulation.environment.failure?.message ?? '', /is lost/)
  })
})
