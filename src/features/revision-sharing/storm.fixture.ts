import assert from 'node:assert/strict'
import { defaultClusterConfig, type ClusterConfig } from '#features/defaults/index.ts'
import { SimulatedApi } from '../revision-upgrade/simulated-api.fixture.ts'
import { Processes, type Process, type Work } from './processes.fixture.ts'
import { seeded, type Seeded } from './seeded.fixture.ts'
import { snapshotNames, Users, vmNames } from './users.fixture.ts'
import { Witness } from './witness.fixture.ts'
import { collect, follow, lookAfter, restore, takeSnapshot, upgrade, type Surroundings } from './works.fixture.ts'

const minute = 60_000

/** How bad it is. */
export interface Weather {
  /** Milliseconds that a process may take for what it has in hand. More than a claim lasts, and shared revisions are lost. */
  readonly patienceMs: number
}

interface Controller {
  process: Process
  readonly works: readonly [() => Work, ...(() => Work)[]]
}

/**
 * Some VMs, the users who create, change, switch and delete them, and two processes of each controller, all at once. A seed decides whose request is
 * next, what users do, how far behind caches are, who is killed, and how much time passes.
 */
export class Storm {
  readonly api: SimulatedApi = new SimulatedApi()
  readonly #random: Seeded
  readonly #patienceMs: number
  readonly #processes: Processes
  readonly #users: Users
  readonly #witness: Witness = new Witness(this.api)
  readonly #surroundings: Surroundings
  readonly #controllers: readonly [Controller, ...Controller[]]
  #config: ClusterConfig = sharing(true)

  constructor(seed: number, { patienceMs }: Weather) {
    const random = seeded(seed)
    this.#random = random
    this.#patienceMs = patienceMs
    this.#processes = new Processes(this.api, random)
    this.#users = new Users(this.api, random)
    const so: Surroundings = { now: () => this.#processes.now, config: () => this.#config }
    this.#surroundings = so
    const vm = (): Work => lookAfter(so, random.pick(vmNames))
    const moved = (): Work => upgrade(so, random.pick(vmNames))
    const collected = (): Work => collect(so)
    const taken = (): Work => takeSnapshot(so, random.pick(vmNames), random.pick(snapshotNames))
    const restored = (): Work => restore(so, random.pick(vmNames), random.pick(snapshotNames))
    const of = (...works: Controller['works']): Controller => ({ process: this.#spawn(), works })
    this.#controllers = [of(vm), of(vm, moved), of(moved), of(collected), of(collected), of(taken, restored)]
    this.api.onWrite = (verb, object) => {
      try {
        this.#witness.see(verb, object)
      } catch (error) {
        this.#processes.fail(error)
      }
    }
  }

  /** Lets so many things happen. @throws what the witness or a controller complains of */
  async rage(steps: number): Promise<void> {
    for (let step = 0; step < steps; step++) {
      await this.#anything()
      this.#processes.verify()
    }
  }

  /** Lets everybody finish in peace, until nothing changes any more, and all claims are over. */
  async settle(): Promise<void> {
    for (const controller of this.#controllers) this.#restart(controller)
    for (let round = 0, before = -1; before !== this.api.changes.length || round < 4; round++) {
      assert.ok(round < 40, 'the controllers never come to rest')
      before = this.api.changes.length
      this.#pass(11 * minute)
      const process = this.#spawn()
      const vms = vmNames.flatMap((name) => [lookAfter(this.#surroundings, name), upgrade(this.#surroundings, name)])
      for (const work of [...vms, collect(this.#surroundings)]) {
        await this.#processes.finish(process, work)
        follow(process)
      }
    }
  }

  /** Shared revisions that nothing names. */
  garbage(): string[] {
    return this.#witness.garbage()
  }

  async #anything(): Promise<void> {
    const dice = this.#random.below(100)
    if (dice < 57 && this.#processes.isBusy) return this.#processes.step()
    if (dice < 78) return this.#begin()
    if (dice < 88) return this.#users.act()
    if (dice < 89) return void (this.#config = sharing(this.#random.chance(0.6)))
    if (dice < 94)
      return this.#pass(
        this.#random.chance(0.3) ? this.#random.below(Math.max(4 * minute, this.#patienceMs / 2)) : this.#random.below(minute / 3),
      )
    if (dice < 96) return this.#restart(this.#random.pick(this.#controllers))
    // A quiet time, in which claims run out.
    while (this.#processes.isBusy && this.#random.chance(0.9)) await this.#processes.step()
    this.#pass(this.#random.below(12 * minute))
  }

  async #begin(): Promise<void> {
    const controller = this.#random.pick(this.#controllers)
    if (controller.process.since !== undefined) return
    follow(controller.process, this.#random.chance(0.5) ? 1 : this.#random.below(10) / 10)
    const work = this.#random.pick(controller.works)()
    const isTaken = work.alone !== undefined && this.#controllers.some(({ process }) => process.alone === work.alone)
    if (!isTaken) await this.#processes.start(controller.process, work)
  }

  /** Whoever takes too long is as good as dead: its requests have timed out, and another leads in its place. */
  #pass(ms: number): void {
    this.#processes.now += ms
    this.#witness.sweep()
    for (const controller of this.#controllers) {
      const { since = this.#processes.now } = controller.process
      if (this.#processes.now - since > this.#patienceMs) this.#restart(controller)
    }
  }

  #restart(controller: Controller): void {
    this.#processes.kill(controller.process)
    controller.process = this.#spawn()
  }

  #spawn(): Process {
    const process = this.#processes.spawn()
    follow(process)
    return process
  }
}

function sharing(isOn: boolean): ClusterConfig {
  return { ...defaultClusterConfig, featureGates: isOn ? ['SharedRevisions'] : [] }
}
