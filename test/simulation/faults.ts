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
import { keyOf, type World } from './world.ts'

/** Targets of the faults. */
export interface Victims {
  readonly world: World
  readonly cluster: Cluster
  readonly kubelets: Kubelets
  readonly plane: ControlPlane
}

const user = 'user'

/**
 * Lets something go wrong every few seconds, for as long as is asked for: processes are killed,
 * nodes lose power or are drained, users move guests and change their minds.
 */
export class Faults {
  readonly counts = new Map<string, number>()
  readonly #victims: Victims
  readonly #drained = new Set<string>()
  #isOver = false

  constructor(victims: Victims) {
    this.#victims = victims
    this.#next()
  }

  /** From now on nothing goes wrong any more. Power comes back, and nodes are opened. */
  end(): void {
    this.#isOver = true
  }

  #next(): void {
    const { world } = this.#victims
    world.later(2_000, 15_000, async () => {
      if (this.#isOver) return
      this.#next()
      const [name, act] = world.seeded.pick(this.#all)
      if ((await act()) !== false) this.counts.set(name, (this.counts.get(name) ?? 0) + 1)
    })
  }

  readonly #all: readonly [Fault, ...Fault[]] = [
    ['controller killed', () => this.#victims.plane.killController()],
    ['operator killed', () => this.#victims.plane.killOperator()],
    ['agent killed', () => this.#victims.kubelets.crash(this.#someNode())],
    ['agents killed', () => void Array.from({ length: 3 }, () => this.#victims.kubelets.crash(this.#someNode()))],
    ['watches broken', () => this.#victims.plane.breakWatches()],
    ['migration cancelled', () => this.#cancel()],
    ['migration by a user', () => this.#move()],
    ['migration by a user', () => this.#move()],
    ['node without power', () => this.#darken()],
    ['node drained', () => this.#drain()],
    ['node taken away', () => this.#takeAway()],
  ]

  #someNode(): string {
    const all = [...this.#victims.world.api.store.all(nodes)].map(({ metadata }) => metadata.name ?? '')
    return all[this.#victims.world.seeded.below(all.length)] ?? ''
  }

  #cancel(): boolean {
    const { api, seeded } = this.#victims.world
    const running = [...api.store.all(virtualMachineInstanceMigrations)].filter(
      ({ status, metadata }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed' && metadata.deletionTimestamp === undefined,
    )
    const chosen = running[seeded.below(running.length)]
    if (chosen !== undefined) api.delete(user, virtualMachineInstanceMigrations, keyOf(chosen))
    return chosen !== undefined
  }

  #move(): boolean {
    const { api, seeded } = this.#victims.world
    const vmiName = `vm${seeded.below([...api.store.all(virtualMachineInstances)].length)}`
    const migration = { metadata: { namespace: 'ns', name: `${vmiName}-by-user-${api.store.revision}` }, spec: { vmiName } }
    return this.#tolerating(() => void api.create<VirtualMachineInstanceMigration>(user, virtualMachineInstanceMigrations, migration))
  }

  /** One node at a time has no power: what is lost with it is lost. */
  #darken(): boolean {
    const { world, cluster, kubelets } = this.#victims
    const name = this.#someNode()
    if (world.dark.size > 0 || this.#drained.has(name)) return false
    kubelets.lose(name)
    cluster.kill(name)
    world.later(30_000, 900_000, () => kubelets.revive(name, cluster.podsOn(name)))
    return true
  }

  /** A machine breaks for good, and its administrator says so. */
  #takeAway(): boolean {
    const { world, cluster, kubelets } = this.#victims
    const name = this.#someNode()
    if (world.dark.size > 0 || this.#drained.has(name) || (this.counts.get('node taken away') ?? 0) > 0) return false
    kubelets.lose(name)
    cluster.kill(name)
    world.later(20_000, 400_000, () => world.api.delete(user, nodes, { name }))
    world.later(430_000, 430_000, () => void world.dark.delete(name))
    return true
  }

  /**
   * As kubectl does it: no new guests, then evictions again and again; and in the end the node is
   * open again, whether it is empty or not.
   */
  #drain(): boolean {
    const { world } = this.#victims
    const name = this.#someNode()
    if (this.#drained.size > 0 || world.dark.has(name)) return false
    this.#drained.add(name)
    this.#cordon(name, true)
    const until = world.clock.now() + 60_000 + world.seeded.below(300_000)
    const evictAll = async (): Promise<void> => {
      const launchers = this.#victims.cluster.podsOn(name).filter(({ metadata }) => metadata.labels?.[names.createdByLabel] !== undefined)
      for (const pod of launchers) await this.#evict(pod)
      if (world.clock.now() < until && !this.#isOver) return void world.later(5_000, 5_000, evictAll)
      this.#cordon(name, false)
      this.#drained.delete(name)
    }
    world.run(evictAll)
    return true
  }

  #cordon(name: string, unschedulable: boolean): void {
    this.#victims.world.change<Node>(user, nodes, { name }, (node) => ({ ...node, spec: { ...node.spec, unschedulable } }))
  }

  async #evict(pod: Pod): Promise<void> {
    const metadata: KubeObject['metadata'] = keyOf(pod)
    const eviction = { metadata, deleteOptions: { preconditions: { uid: pod.metadata.uid } } }
    try {
      await this.#victims.world.connect(user).create(pods, eviction as KubeObject, { subresource: 'eviction' })
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
