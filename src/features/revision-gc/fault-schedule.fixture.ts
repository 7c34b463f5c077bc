import assert from 'node:assert/strict'
import { defaultClusterConfig, type ClusterConfig } from '#features/cluster-config/index.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { SimulatedApi } from '../revision-upgrade/simulated-api.fixture.ts'
import type { ControllerName, ControllerInputs } from './controllers.fixture.ts'
import { leakedObjects, collectGarbage } from './leaked-objects.fixture.ts'
import { runUntilIdle, stopGuests } from './run-until-idle.fixture.ts'
import { Processes, type Process } from './processes.fixture.ts'
import { createSeededRandom, type SeededRandom } from '#runtime/process/seeded-random.fixture.ts'
import { SnapshotWorkload } from './snapshot-workload.fixture.ts'
import { VmWorkload } from './vm-workload.fixture.ts'
import { InvariantChecker } from './invariant-checker.fixture.ts'
import { syncCaches, reconcileWork, objectsFor } from './controller-work.fixture.ts'

const minute = 60_000

/** Parameters of the faults. */
export interface FaultPlan {
  /**
   * Milliseconds that a process may take for its work. Longer than a claim is valid, and shared
   * revisions are lost.
   */
  readonly patienceMs: number
  /** Factor by which the time advances more often than claims expire. */
  readonly haste?: number
}

/** A process, and which controllers it runs. */
interface Runner {
  process: Process
  readonly controllers: readonly [ControllerName, ...ControllerName[]]
}

const ofSnapshots = ['virtualmachinesnapshot', 'virtualmachinerestore', 'virtualmachineclone', 'snapshot-revision'] as const
const runners: readonly Runner['controllers'][] = [
  ['vm'],
  ['vm', 'upgrader'],
  ['upgrader', 'snapshot-revision'],
  ['collector'],
  ['collector'],
  ofSnapshots,
  ofSnapshots,
  ofSnapshots,
  ofSnapshots,
]

/**
 * Some VMs, the users who create, change, switch, delete, snapshot, restore and clone them, and at
 * least two processes of each controller, all at once. A seed decides the order of requests, the
 * actions of users, the lag of caches, the killed processes, and the passing of time.
 */
export class FaultSchedule {
  readonly api: SimulatedApi = new SimulatedApi()
  readonly #random: SeededRandom
  readonly #patienceMs: number
  readonly #haste: number
  readonly #processes: Processes
  readonly #users: VmWorkload
  readonly #witness: InvariantChecker = new InvariantChecker(this.api)
  readonly #snapshotUsers: SnapshotWorkload
  readonly #surroundings: ControllerInputs
  readonly #runners: readonly [Runner, ...Runner[]]
  #config: ClusterConfig = withGates(['SharedRevisions'])
  /**
   * True if the gate may be switched during the run; otherwise it is enabled from the beginning.
   */
  readonly #isSwitched: boolean

  constructor(seed: number, { patienceMs, haste = 1 }: FaultPlan) {
    const random = createSeededRandom(seed)
    this.#random = random
    this.#patienceMs = patienceMs
    this.#haste = haste
    this.#isSwitched = random.chance(0.5)
    this.#processes = new Processes(this.api, random)
    this.api.now = () => this.#processes.now
    this.api.absent = []
    this.#users = new VmWorkload(this.api, random)
    this.#snapshotUsers = new SnapshotWorkload(this.api, random)
    this.#surroundings = { now: () => this.#processes.now, config: () => this.#config }
    this.#runners = runners.map((controllers) => ({ process: this.#spawn(), controllers })) as [Runner, ...Runner[]]
    this.api.onWrite = (verb, object, old) => {
      try {
        this.#witness.check(verb, object, old)
      } catch (error) {
        this.#processes.fail(error)
      }
    }
  }

  /** Runs a number of steps. @throws errors of the invariant checker or of a controller */
  async run(steps: number): Promise<void> {
    for (let step = 0; step < steps; step++) {
      await this.#anything()
      this.#processes.verify()
    }
  }

  /** Runs all controllers without faults until nothing changes and all claims have expired. */
  async settle(): Promise<void> {
    for (const runner of this.#runners) this.#restart(runner)
    if (this.#isSwitched && this.#random.chance(0.7)) this.#config = withGates(['SharedRevisions'])
    for (let hours = 0, quiet = 0; hours < 4 || quiet < 2; hours++) {
      assert.ok(hours < 20, 'the controllers never come to rest')
      const before = this.api.changes.length
      // A restore may wait for a running VM. Later some VMs run again.
      if (hours < 3) this.#setStrategies(() => (hours === 2 && this.#random.chance(0.5) ? 'Always' : 'Halted'))
      await runUntilIdle(this.api, this.#processes, this.#surroundings)
      quiet = this.api.changes.length === before ? quiet + 1 : 0
      this.#pass(11 * minute)
    }
  }

  /** Objects that must not exist at the end. */
  leftovers(): string[] {
    return leakedObjects(this.api, this.#config, !this.#isSwitched)
  }

  #setStrategies(strategyFor: () => 'Always' | 'Halted'): void {
    for (const vm of this.api.list(virtualMachines)) {
      const { snapshotInProgress = '', restoreInProgress = '' } = vm.status ?? {}
      if (snapshotInProgress + restoreInProgress !== '') continue
      this.api.put(virtualMachines, { ...vm, spec: { ...vm.spec, runStrategy: strategyFor() } } as KubeObject)
    }
  }

  async #anything(): Promise<void> {
    const dice = this.#random.below(1_000)
    if (dice < 600 && this.#processes.isBusy) return this.#processes.step()
    if (dice < 860) return this.#begin()
    if (dice < 877) return this.#users.act()
    if (dice < 900) return this.#snapshotUsers.act()
    if (dice < 905) return this.#switchGates()
    if (dice < 930) return stopGuests(this.api)
    if (dice < 970 - 2 * this.#haste) return this.#pass(this.#random.below(minute / 6))
    if (dice < 980 - 2 * this.#haste) return this.#pass(this.#random.below(Math.max(4 * minute, this.#patienceMs / 2)))
    if (dice < 1_000 - 3 * this.#haste) return this.#restart(this.#random.pick(this.#runners))
    // A quiet time, in which claims run out.
    while (this.#processes.isBusy && this.#random.chance(0.9)) await this.#processes.step()
    this.#pass(this.#random.below(12 * minute))
  }

  async #begin(): Promise<void> {
    const { process, controllers } = this.#random.pick(this.#runners)
    if (process.since !== undefined) return
    const isBehind = this.#random.chance(0.5)
    syncCaches(process, () => (isBehind ? this.#random.below(10) / 10 : 1))
    const controller = this.#random.pick(controllers)
    const names = objectsFor(controller, process.cache)
    const name = names[this.#random.below(names.length)]
    if (name === undefined) return
    const work = reconcileWork(this.#surroundings, controller, name)
    const isTaken = work.alone !== undefined && this.#runners.some((other) => other.process.alone === work.alone)
    if (!isTaken) await this.#processes.start(process, work)
  }

  #switchGates(): void {
    if (!this.#isSwitched) return
    this.#config = withGates(
      ['SharedRevisions', 'InstancetypeV1'].filter((gate) => this.#random.chance(gate === 'InstancetypeV1' ? 0.2 : 0.6)),
    )
  }

  /**
   * A process that takes too long counts as dead: its requests have timed out, and another process
   * leads.
   */
  #pass(ms: number): void {
    this.#processes.now += ms
    collectGarbage(this.api)
    for (const runner of this.#runners) {
      const { since = this.#processes.now } = runner.process
      if (this.#processes.now - since > this.#patienceMs) this.#restart(runner)
    }
  }

  #restart(runner: Runner): void {
    this.#processes.kill(runner.process)
    runner.process = this.#spawn()
  }

  #spawn(): Process {
    const process = this.#processes.spawn()
    syncCaches(process)
    return process
  }
}

function withGates(featureGates: readonly string[]): ClusterConfig {
  return { ...defaultClusterConfig, featureGates: [...featureGates] }
}
