import type { Pod } from '#api/core/v1/pod.ts'
import type { Node } from '#api/core/v1/node.ts'
import { nodes, pods } from '#api/core/v1/resources.ts'
import { isTrue, setCondition } from '#apimachinery/conditions.ts'
import type { Condition, KubeObject } from '#apimachinery/meta/object-meta.ts'
import { names } from '#features/vmi/index.ts'
import type { Commit } from './store.ts'
import { keyOf, type Environment } from './environment.ts'

/**
 * Simulates the other controllers: schedules pods, collects garbage, and evicts pods of silent
 * nodes.
 */
export class Cluster {
  readonly #environment: Environment
  /** Pods by node. */
  readonly #bound = new Map<string, Map<string, Pod>>()
  readonly #unbound = new Map<string, Pod>()
  readonly #room: number

  /** `room`: maximum number of launchers per node. */
  constructor(environment: Environment, { room }: { readonly room: number }) {
    this.#environment = environment
    this.#room = room
    environment.api.store.listeners.add((commit) => this.#see(commit))
  }

  podsOn(node: string): readonly Pod[] {
    return [...(this.#bound.get(node)?.values() ?? [])]
  }

  /** Cuts the power of the node: its processes stop without a report. */
  kill(name: string): void {
    const { poweredOff, hypervisor, seeded } = this.#environment
    poweredOff.add(name)
    hypervisor.endAllOn(name)
    this.#environment.clock.after(40_000, () => this.#ifPoweredOff(name, () => this.#declareDead(name)))
    this.#environment.clock.after(340_000 + seeded.below(1_000), () => this.#ifPoweredOff(name, () => this.#evictAll(name)))
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
        if (!this.#unbound.has(uid)) this.#environment.later(5, 80, () => this.#schedule(uid))
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
      this.#environment.later(1_000, 20_000, () => {
        if (this.#environment.pod(pod) !== undefined)
          this.#environment.api.delete('pod-garbage-collector', pods, keyOf(pod), { gracePeriodSeconds: 0 })
      })
  }

  #retry(): void {
    for (const uid of this.#unbound.keys()) this.#environment.later(100, 1_000, () => this.#schedule(uid))
  }

  #schedule(uid: string): void {
    const pod = this.#unbound.get(uid)
    if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return
    const guest = pod.metadata.labels?.[names.createdByLabel]
    const isAlone = pod.spec.affinity?.podAntiAffinity !== undefined
    let best: { readonly name: string; readonly count: number } | undefined
    for (const node of this.#environment.api.store.all(nodes)) {
      const { name = '', labels = {} } = node.metadata
      if (!isOpen(node) || !Object.entries(pod.spec.nodeSelector ?? {}).every(([key, value]) => labels[key] === value)) continue
      const here = this.#bound.get(name)
      const count = here?.size ?? 0
      if (count > this.#room || (best !== undefined && best.count <= count)) continue
      if (isAlone && [...(here?.values() ?? [])].some(({ metadata }) => metadata.labels?.[names.createdByLabel] === guest)) continue
      best = { name, count }
    }
    const found = best
    this.#environment.change('scheduler', pods, keyOf(pod), (now) =>
      found === undefined
        ? withCondition(
            now,
            { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'no node has room' },
            this.#environment.now(),
          )
        : { ...now, spec: { ...now.spec, nodeName: found.name } },
    )
  }

  #collect(uid: string): void {
    for (const { resource, key } of this.#environment.api.store.dependentsOf(uid)) {
      this.#environment.later(20, 500, () => {
        const found = this.#environment.api.store.get(resource as typeof pods, key)
        const isOwned = found?.metadata.ownerReferences?.some((owner) => owner.uid === uid) === true
        if (isOwned) this.#environment.api.delete('garbage-collector', resource, key)
      })
    }
  }

  #ifPoweredOff(name: string, act: () => void): void {
    if (this.#environment.poweredOff.has(name)) this.#environment.run(act)
  }

  #declareDead(name: string): void {
    this.#environment.change('node-lifecycle', nodes, { name }, (node) =>
      withCondition(node, { type: 'Ready', status: 'Unknown' }, this.#environment.now()),
    )
    for (const pod of this.podsOn(name)) {
      this.#environment.change('node-lifecycle', pods, keyOf(pod), (now) =>
        withCondition(now, { type: 'Ready', status: 'False', reason: 'NodeNotReady' }, this.#environment.now()),
      )
    }
  }

  #evictAll(name: string): void {
    const launchers = this.podsOn(name).filter(({ metadata }) => metadata.labels?.[names.createdByLabel] !== undefined)
    for (const pod of launchers) this.#environment.api.delete('taint-eviction', pods, keyOf(pod))
  }
}

function isOpen({ spec, status }: Node): boolean {
  return spec?.unschedulable !== true && isTrue(status?.conditions, 'Ready')
}

/** Returns the object with a condition in its status. */
export function withCondition<T extends KubeObject & { readonly status?: { readonly conditions?: readonly Condition[] } }>(
  object: T,
  condition: Pick<Condition, 'type' | 'status'> & Partial<Condition>,
  now: string,
): T {
  return { ...object, status: { ...object.status, conditions: setCondition(object.status?.conditions, condition as Condition, now) } }
}
