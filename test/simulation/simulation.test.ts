import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Size } from './fleet.ts'
import { isBehind, isGone, Simulation } from './simulation.ts'

const seed = Number(process.env['STEADYVM_SCHEDULES_SEED'] ?? 1)
const guests = Number(process.env['STEADYVM_SIMULATION_GUESTS'] ?? 200)
const size: Size = {
  guests,
  nodes: Math.max(10, Math.ceil(guests / 50)),
  parallelMigrationsPerCluster: Math.max(10, Math.ceil(guests / 50)),
  parallelOutboundMigrationsPerNode: 2,
  batchEvictionSize: 5,
}
const small: Size = { guests: 60, nodes: 6, parallelMigrationsPerCluster: 6, parallelOutboundMigrationsPerNode: 2, batchEvictionSize: 3 }

async function upgraded(of: Size, from: number): Promise<Simulation> {
  const simulation = new Simulation(from, of)
  await simulation.install()
  simulation.ask('v2.0.0')
  await simulation.until('the components are at v2.0.0', 30, () => simulation.isAt('v2.0.0'))
  await simulation.until('the guests are at v2.0.0', 24 * 60, () => simulation.isQuietAt('v2.0.0'))
  await simulation.until('it has been told', 5, () => isTold(simulation))
  await simulation.until('the upgrade is over', 60, () => simulation.kubevirt.status?.steadyvm?.upgrade === undefined)
  return simulation
}

function isTold({ kubevirt, guests: all }: Simulation): boolean {
  return (kubevirt.status?.outdatedVirtualMachineInstanceWorkloads ?? 0) === all.filter((vmi) => isBehind(vmi, 'v2.0.0')).length
}

suite(`an upgrade with the real controllers, seed ${seed}`, () => {
  test(`of ${size.nodes} nodes and ${guests} guests moves whoever can move, within every limit at every instant`, async (t) => {
    const simulation = await upgraded(size, seed)
    const { world, checker, rollout } = simulation
    await world.clock.advance(120_000)
    simulation.checkRest('v2.0.0')
    assert.equal(simulation.guests.filter(isGone).length, 0)
    // A limit that nobody comes near to would not be tested.
    assert.equal(checker.most.moving, size.parallelMigrationsPerCluster)
    assert.equal(checker.most.leavingOneNode, size.parallelOutboundMigrationsPerNode)
    t.diagnostic(
      `${world.api.store.writes} writes, ${JSON.stringify(checker.most)}, ${rollout.most} agents at a time, ${world.api.store.hash()}`,
    )
  })

  test('writes the same again from the same seed, and something else from another', async () => {
    const [first, second, other] = [await upgraded(small, seed), await upgraded(small, seed), await upgraded(small, seed + 1)]
    assert.equal(first.world.api.store.hash(), second.world.api.store.hash())
    assert.notEqual(first.world.api.store.hash(), other.world.api.store.hash())
  })
})
