import type { Node } from '#api/core/v1/node.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { nodes, pods } from '#api/core/v1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ObjectKey, ResourceType } from '#apimachinery/meta/resource-type.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import { createVirtualClock, type VirtualClock } from '#runtime/clock/virtual-clock.ts'
import { createSeededRandom, type SeededRandom } from '#runtime/process/seeded-random.fixture.ts'
import { Api } from './api.ts'
import { SimulatedClient } from './client.ts'
import { Hypervisor } from './hypervisor.ts'

/** The simulated environment: time, random numbers, the API and the real controllers. */
export class Environment {
  readonly clock: VirtualClock = createVirtualClock(Date.parse('2026-11-20T22:00:00Z'))
  readonly seeded: SeededRandom
  readonly api: Api
  readonly hypervisor: Hypervisor
  /** Nodes without power. */
  readonly poweredOff = new Set<string>()
  /** Error of asynchronous work that nothing awaits. */
  failure: Error | undefined

  constructor(seed: number) {
    this.seeded = createSeededRandom(seed)
    this.api = new Api(this.clock)
    this.hypervisor = new Hypervisor(this.clock)
  }

  connect(actor: string): SimulatedClient {
    return new SimulatedClient(this.api, this.clock, this.seeded, actor)
  }

  /**
   * Calls `act` after a random delay in this range, in milliseconds. Its error ends the simulation.
   */
  later(fromMs: number, toMs: number, act: () => void | Promise<void>): Disposable {
    return this.clock.after(fromMs + this.seeded.below(toMs - fromMs + 1), () => this.run(act))
  }

  /** Runs asynchronous work that nothing awaits. */
  run(act: () => void | Promise<void>): void {
    try {
      Promise.resolve(act()).catch((error: unknown) => this.fail(error))
    } catch (error) {
      this.fail(error)
    }
  }

  /** Ends the simulation with an error. */
  fail(error: unknown): void {
    this.failure ??= error instanceof Error ? error : new TypeError(String(error))
  }

  now(): string {
    return timestamp(this.clock.now())
  }

  /** Changes an existing object atomically, for simulated components. */
  change<T extends KubeObject>(actor: string, resource: ResourceType<T>, key: ObjectKey, change: (object: T) => T): void {
    const object = this.api.store.get(resource, key)
    if (object !== undefined) this.api.replace(actor, resource, key, change(object))
  }

  node(name: string): Node | undefined {
    return this.api.store.get(nodes, { name })
  }

  /** Returns the current state of the same pod; undefined when it was deleted or recreated. */
  pod({ metadata }: Pod): Pod | undefined {
    const found = this.api.store.get(pods, { namespace: metadata.namespace ?? '', name: metadata.name ?? '' })
    return found?.metadata.uid === metadata.uid ? found : undefined
  }
}

/** Returns the key of an object. */
export function keyOf({ metadata }: KubeObject): { readonly namespace: string; readonly name: string } {
  return { namespace: metadata?.namespace ?? '', name: metadata?.name ?? '' }
}
