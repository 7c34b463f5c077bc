import type { Pod } from '#api/core/v1/pod.ts'
import type { Node } from '#api/core/v1/node.ts'
import { nodes, pods } from '#api/core/v1/resources.ts'
import { isTrue, setCondition } from '#apimachinery/conditions.ts'
import type { Condition, KubeObject } from '#apimachinery/meta/object-meta.ts'
import { names } from '#features/vmi/index.ts'
import type { Commit } from './store.ts'
import { keyOf, type World } from './world.ts'

/**
 * Kubernetes around the controllers: finds nodes for pods, collects garbage, and gives up nodes
 * that are silent.
 */
export class Cluster {
  readonly #world: World
  /** Pods by node. */
  readonly #bound = new Map<string, Map<string, Pod>>()
  readonly #unbound = new Map<string, Pod>()
  readonly #room: number

  /** `room`: launchers for which a node has room. */
  constructor(world: World, { room }: { readonly room: number }) {
    this.#world = world
    this.#room = room
    world.api.store.listeners.add((commit) => this.#see(commit))
  }

  podsOn(node: string): readonly Pod[] {
    return [...(this.#bound.get(node)?.values() ?? [])]
  }

  /** Cuts the power of the node: no process there acts or reports any more. */
  kill(name: string): void {
    const { dark, hypervisor, seeded } = this.#world
    dark.add(name)
    hypervisor.endAllOn(name)
    this.#world.clock.after(40_000, () => this.#ifDark(name, () => this.#declareDead(name)))
    this.#world.clock.after(340_000 + seeded.below(1_000), () => this.#ifDark(name, () => this.#evictAll(name)))
  }

  #see({ resource, before, after }: Commit): void {
    if (after === undefined && before?.metadata?.uid !== undefined) this.#collect(before.metadata.uid)
    if (resource.plural === nodes.plural) return this.#seeNode(after as Node | undefined, before as Node | undefined)
    if (resource.plural !== pods.plural) return
    const pod = (after ?? before) as Pod
    const uid = pod.metadata.uid ?? ''
    const { nodeName } = pod.spec
    if (nodeName === undefined) {
      if (after === undefined) this.#unbound.delete(uid)
      else {
        if (!this.#unbound.has(uid)) this.#world.later(5, 80, () => this.#schedule(uid))
        this.#unbound.set(uid, pod)
      }
      return
    }
    this.#unbound.delete(uid)
    const here = this.#bound.getOrInsertComputed(nodeName, () => new Map<string, Pod>())
    if (after === undefined) {
      here.delete(uid)
      this.#retry()
    } else here.set(uid, pod)
  }

  #seeNode(node: Node | undefined, before: Node | undefined): void {
    if (node !== undefined && before !== undefined && isOpen(node) === isOpen(before)) return
    this.#retry()
    if (node !== undefined) return
    // The end of these pods will never be confirmed.
    for (const pod of this.podsOn(before?.metadata.name ?? ''))
      this.#world.later(1_000, 20_000, () => {
        if (this.#world.pod(pod) !== undefined) this.#world.api.delete('pod-garbage-collector', pods, keyOf(pod), { gracePeriodSeconds: 0 })
      })
  }

  #retry(): void {
    for (const uid of this.#unbound.keys()) this.#world.later(100, 1_000, () => this.#schedule(uid))
  }

  #schedule(uid: string): void {
    const pod = this.#unbound.get(uid)
    if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return
    const guest = pod.metadata.labels?.[names.createdByLabel]
    const isAlone = pod.spec.affinity?.podAntiAffinity !== undefined
    let best: { readonly name: string; readonly count: number } | undefined
    for (const node of this.#world.api.store.all(nodes)) {
      const { name = '', labels = {} } = node.metadata
      if (!isOpen(node) || !Object.entries(pod.spec.nodeSelector ?? {}).every(([key, value]) => labels[key] === value)) continue
      const here = this.#bound.get(name)
      const count = here?.size ?? 0
      if (count > this.#room || (best !== undefined && best.count <= count)) continue
      if (isAlone && [...(here?.values() ?? [])].some(({ metadata }) => metadata.labels?.[names.createdByLabel] === guest)) continue
      best = { name, count }
    }
    const found = best
    this.#world.change('scheduler', pods, keyOf(pod), (now) =>
      found === undefined
        ? withCondition(
            now,
            { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'no node has room' },
            this.#world.now(),
          )
        : { ...now, spec: { ...now.spec, nodeName: found.name } },
    )
  }

  #collect(uid: string): void {
    for (const { resource, key } of this.#world.api.store.dependentsOf(uid)) {
      this.#world.later(20, 500, () => {
        const found = this.#world.api.store.get(resource as typeof pods, key)
        const isOwned = found?.metadata.ownerReferences?.some((owner) => owner.uid === uid) === true
        if (isOwned) this.#world.api.delete('garbage-collector', resource, key)
      })
    }
  }

  #ifDark(name: string, act: () => void): void {
    if (this.#world.dark.has(name)) this.#world.run(act)
  }

  #declareDead(name: string): void {
    this.#world.change('node-lifecycle', nodes, { name }, (node) =>
      withCondition(node, { type: 'Ready', status: 'Unknown' }, this.#world.now()),
    )
    for (const pod of this.podsOn(name)) {
      this.#world.change('node-lifecycle', pods, keyOf(pod), (now) =>
        withCondition(now, { type: 'Ready', status: 'False', reason: 'NodeNotReady' }, this.#world.now()),
      )
    }
  }

  #evictAll(name: string): void {
    const launchers = this.podsOn(name).filter(({ metadata }) => metadata.labels?.[names.createdByLabel] !== undefined)
    for (const pod of launchers) this.#world.api.delete('taint-eviction', pods, keyOf(pod))
  }
}

function isOpen({ spec, status }: Node): boolean {
  return spec?.unschedulable !== true && isTrue(status?.conditions, 'Ready')
}

/** An object whose status has a condition. */
export function withCondition<T extends KubeObject & { readonly status?: { readonly conditions?: readonly Condition[] } }>(
  object: T,
  condition: Pick<Condition, 'type' | 'status'> & Partial<Condition>,
  now: string,
): T {
  return { ...object, status: { ...object.status, conditions: setCondition(object.status?.conditions, condition as Condition, now) } }
}
