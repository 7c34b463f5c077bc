import type { Node } from '#api/core/v1/node.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { nodes, pods } from '#api/core/v1/resources.ts'
import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import { virtualMachineInstanceMigrations, virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { StatusError } from '#apimachinery/errors.ts'
import { names } from '#features/vmi/index.ts'
import type { Cluster } from './cluster.ts'
import type { ControlPlane } from './control-plane.ts'
import type { Kubelets } from './kubelets.ts'
import { keyOf, type Environment } from './environment.ts'

/** Targets of the faults. */
export interface FaultTargets {
  readonly environment: Environment
  readonly cluster: Cluster
  readonly kubelets: Kubelets
  readonly plane: ControlPlane
}

const user = 'user'

/**
 * Injects a random fault every few seconds until {@link Faults.end}: kills processes, cuts the
 * power of nodes, drains nodes, and creates and cancels migrations.
 */
export class Faults {
  readonly counts = new Map<string, number>()
  readonly #targets: FaultTargets
  readonly #drained = new Set<string>()
  #isOver = false

  constructor(targets: FaultTargets) {
    this.#targets = targets
    this.#next()
  }

  /** Stops new faults. Powered-off nodes return, and drained nodes are uncordoned. */
  end(): void {
    this.#isOver = true
  }

  #next(): void {
    const { environment } = this.#targets
    environment.later(2_000, 15_000, async () => {
      if (this.#isOver) return
      this.#next()
      const [name, act] = environment.seeded.pick(this.#all)
      if ((await act()) !== false) this.counts.set(name, (this.counts.get(name) ?? 0) + 1)
    })
  }

  readonly #all: readonly [Fault, ...Fault[]] = [
    ['controller killed', () => this.#targets.plane.killController()],
    ['operator killed', () => this.#targets.plane.killOperator()],
    ['agent killed', () => this.#targets.kubelets.crash(this.#someNode())],
    ['agents killed', () => void Array.from({ length: 3 }, () => this.#targets.kubelets.crash(this.#someNode()))],
    ['watches broken', () => this.#targets.plane.breakWatches()],
    ['migration cancelled', () => this.#cancel()],
    ['migration by a user', () => this.#move()],
    ['migration by a user', () => this.#move()],
    ['node without power', () => this.#cutPower()],
    ['node drained', () => this.#drain()],
    ['node taken away', () => this.#failPermanently()],
  ]

  #someNode(): string {
    const all = [...this.#targets.environment.api.store.all(nodes)].map(({ metadata }) => metadata.name ?? '')
    return all[this.#targets.environment.seeded.below(all.length)] ?? ''
  }

  #cancel(): boolean {
    const { api, seeded } = this.#targets.environment
    const running = [...api.store.all(virtualMachineInstanceMigrations)].filter(
      ({ status, metadata }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed' && metadata.deletionTimestamp === undefined,
    )
    const chosen = running[seeded.below(running.length)]
    if (chosen !== undefined) api.delete(user, virtualMachineInstanceMigrations, keyOf(chosen))
    return chosen !== undefined
  }

  #move(): boolean {
    const { api, seeded } = this.#targets.environment
    const vmiName = `vm${seeded.below([...api.store.all(virtualMachineInstances)].length)}`
    const migration = { metadata: { namespace: 'ns', name: `${vmiName}-by-user-${api.store.revision}` }, spec: { vmiName } }
    return this.#tolerating(() => void api.create<VirtualMachineInstanceMigration>(user, virtualMachineInstanceMigrations, migration))
  }

  /** Cuts the power of a node, of at most one at a time. Its guests are lost. */
  #cutPower(): boolean {
    const { environment, cluster, kubelets } = this.#targets
    const name = this.#someNode()
    if (environment.poweredOff.size > 0 || this.#drained.has(name)) return false
    kubelets.lose(name)
    cluster.kill(name)
    environment.later(30_000, 900_000, () => kubelets.revive(name, cluster.podsOn(name)))
    return true
  }

  /** Fails a node permanently, and deletes its Node object later. */
  #failPermanently(): boolean {
    const { environment, cluster, kubelets } = this.#targets
    const name = this.#someNode()
    if (environment.poweredOff.size > 0 || this.#drained.has(name) || (this.counts.get('node taken away') ?? 0) > 0) return false
    kubelets.lose(name)
    cluster.kill(name)
    environment.later(20_000, 400_000, () => environment.api.delete(user, nodes, { name }))
    environment.later(430_000, 430_000, () => void environment.poweredOff.delete(name))
    return true
  }

  /**
   * Drains a node as kubectl does: cordons it, evicts repeatedly, and finally uncordons it, empty
   * or not.
   */
  #drain(): boolean {
    const { environment } = this.#targets
    const name = this.#someNode()
    if (this.#drained.size > 0 || environment.poweredOff.has(name)) return false
    this.#drained.add(name)
    this.#cordon(name, true)
    const until = environment.clock.now() + 60_000 + environment.seeded.below(300_000)
    const evictAll = async (): Promise<void> => {
      const launchers = this.#targets.cluster.podsOn(name).filter(({ metadata }) => metadata.labels?.[names.createdByLabel] !== undefined)
      for (const pod of launchers) await this.#evict(pod)
      if (environment.clock.now() < until && !this.#isOver) return void environment.later(5_000, 5_000, evictAll)
      this.#cordon(name, false)
      this.#drained.delete(name)
    }
    environment.run(evictAll)
    return true
  }

  #cordon(name: string, unschedulable: boolean): void {
    this.#targets.environment.change<Node>(user, nodes, { name }, (node) => ({ ...node, spec: { ...node.spec, unschedulable } }))
  }

  async #evict(pod: Pod): Promise<void> {
    const metadata: KubeObject['metadata'] = keyOf(pod)
    const eviction = { metadata, deleteOptions: { preconditions: { uid: pod.metadata.uid } } }
    try {
      await this.#targets.environment.connect(user).create(pods, eviction as KubeObject, { subresource: 'eviction' })
    } catch (error) {
      // Refusals are what drains live with.
      if (!(error instanceof StatusError)) throw error
    }
  }

  #tolerating(act: () => void): boolean {
    try {
      act()
      return true
    } catch (error) {
      if (error instanceof StatusError) return false
      throw error
    }
  }
}

type Fault = readonly [string, () => void | boolean | Promise<void | boolean>]
