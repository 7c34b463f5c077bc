import type { Size } from '../../test/simulation/fleet.ts'
import { Simulation } from '../../test/simulation/simulation.ts'
import type { Row } from '../measure.ts'

const BUDGET_SECONDS = 60
const size: Size = {
  nodes: 100,
  guests: 5_000,
  parallelMigrationsPerCluster: 100,
  parallelOutboundMigrationsPerNode: 2,
  batchEvictionSize: 10,
}

/**
 * The upgrade of a large cluster by the real virt-operator and virt-controller, on a virtual clock,
 * with every limit checked at every write.
 */
export async function simulationRows(): Promise<Row[]> {
  const started = performance.now()
  const before = process.cpuUsage()
  const simulation = new Simulation(1, size)
  const { clock, api } = simulation.environment
  const virtualStart = clock.now()
  await simulation.install()
  simulation.ask('v2.0.0')
  await simulation.until('the components are at v2.0.0', 60, () => simulation.isAt('v2.0.0'))
  await simulation.until('the guests are at v2.0.0', 6 * 60, () => simulation.isQuietAt('v2.0.0'))
  const seconds = (performance.now() - started) / 1000
  const { user, system } = process.cpuUsage(before)
  const virtualMinutes = (clock.now() - virtualStart) / 60_000
  return [
    {
      what: `simulated upgrade of ${size.nodes} nodes and ${size.guests} guests, real controllers`,
      measured: `${seconds.toFixed(1)} s, ${((user + system) / 1e6).toFixed(1)} s of CPU, for ${virtualMinutes.toFixed(0)} min of virtual time and ${api.store.writes} writes; ${simulation.checker.most.moving} moved at a time, history ${api.store.hash().slice(0, 12)}`,
      budget: `< ${BUDGET_SECONDS} s`,
      within: seconds < BUDGET_SECONDS,
      peer: 'nobody has it',
    },
  ]
}
