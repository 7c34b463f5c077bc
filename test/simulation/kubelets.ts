import type { Pod } from '#api/core/v1/pod.ts'
import { nodes, pods } from '#api/core/v1/resources.ts'
import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { names } from '#features/vmi/index.ts'
import { withCondition } from './cluster.ts'
import { NodeAgent } from './node-agent.ts'
import type { Commit } from './store.ts'
import { keyOf, type World } from './world.ts'

/** All kubelets: they start what is on their node, and end what is to go. */
export class Kubelets {
  /** Agents that run, by node. */
  readonly agents = new Map<string, NodeAgent>()
  /** Versions whose agents end at their start. */
  readonly broken = new Set<string>()
  readonly #world: World

  constructor(world: World) {
    this.#world = world
    world.api.store.listeners.add((commit) => this.#see(commit))
  }

  /** An agent ends, and is started again. */
  crash(node: string): void {
    const pod = this.#stopAgent(node)
    if (pod === undefined || this.#world.pod(pod) === undefined) return
    this.#setReady(pod, false)
    this.#world.later(1_000, 3_000, () => this.#startAgent(pod))
  }

  /** The power comes back: what was to go has gone, the rest has ended; agents start again. */
  revive(node: string, bound: readonly Pod[]): void {
    const world = this.#world
    world.dark.delete(node)
    world.change('kubelet', nodes, { name: node }, (now) => withCondition(now, { type: 'Ready', status: 'True' }, world.now()))
    for (const pod of bound) {
      if (pod.metadata.deletionTimestamp !== undefined) this.#remove(pod)
      else if (isAgent(pod)) world.later(1_000, 3_000, () => this.#startAgent(pod))
      else
        world.change('kubelet', pods, keyOf(pod), (now) => ({
          ...withReady(now, false, world.now()),
          status: { ...now.status, phase: 'Failed' as const },
        }))
    }
  }

  /** The node's agent, when its process goes with the power. */
  lose(node: string): void {
    this.#stopAgent(node)
  }

  #see({ resource, before, after }: Commit): void {
    if (resource.plural === virtualMachineInstances.plural && after !== undefined) this.#tellAgents(after as VirtualMachineInstance)
    if (resource.plural !== pods.plural) return
    const [pod, old] = [after as Pod | undefined, before as Pod | undefined]
    if (pod === undefined) return this.agents.get(old?.spec.nodeName ?? '')?.seeEnd(old as Pod)
    const node = pod.spec.nodeName
    if (node === undefined) return
    if (old?.spec.nodeName === undefined) this.#world.later(300, 2_000, () => this.#start(pod))
    if (pod.metadata.deletionTimestamp !== undefined && old?.metadata.deletionTimestamp === undefined) {
      if (isAgent(pod)) this.#stopAgent(node, pod)
      this.#world.later(200, 1_500, () => this.#remove(pod))
    }
  }

  /** Each hears of the guests that are to do with its node. */
  #tellAgents(vmi: VirtualMachineInstance): void {
    const { nodeName, migrationState } = vmi.status ?? {}
    for (const node of new Set([nodeName, migrationState?.sourceNode, migrationState?.targetNode])) this.agents.get(node ?? '')?.see(vmi)
  }

  #start(pod: Pod): void {
    const now = this.#alive(pod)
    if (now === undefined || now.metadata.deletionTimestamp !== undefined) return
    if (isAgent(pod)) return this.#startAgent(pod)
    this.#setReady(pod, true)
  }

  #startAgent(pod: Pod): void {
    const now = this.#alive(pod)
    const node = pod.spec.nodeName ?? ''
    if (now === undefined || now.metadata.deletionTimestamp !== undefined || this.agents.has(node)) return
    const version = versionOf(pod)
    if (this.broken.has(version)) {
      const end = { name: 'virt-handler', restartCount: 3, lastState: { terminated: { exitCode: 1, message: 'cannot start' } } }
      this.#world.change('kubelet', pods, keyOf(pod), (one) => ({ ...one, status: { ...one.status, containerStatuses: [end] } }) as Pod)
      return this.#setReady(pod, false)
    }
    this.agents.set(node, new NodeAgent(this.#world, pod, version))
    this.#setReady(pod, true)
  }

  #stopAgent(node: string, only?: Pod): Pod | undefined {
    const agent = this.agents.get(node)
    if (agent === undefined || (only !== undefined && agent.pod.metadata.uid !== only.metadata.uid)) return undefined
    this.agents.delete(node)
    agent.stop()
    return agent.pod
  }

  #remove(pod: Pod): void {
    if (this.#alive(pod) === undefined) return
    this.#world.hypervisor.end(pod.metadata.uid ?? '', 'its pod was deleted')
    this.#world.api.delete('kubelet', pods, keyOf(pod), { gracePeriodSeconds: 0 })
  }

  #setReady(pod: Pod, isReady: boolean): void {
    this.#world.change('kubelet', pods, keyOf(pod), (now) => {
      const ready = withReady(now, isReady, this.#world.now())
      return { ...ready, status: { ...ready.status, phase: 'Running' as const } }
    })
  }

  /** The pod as it is, if its node has power. */
  #alive(pod: Pod): Pod | undefined {
    return this.#world.dark.has(pod.spec.nodeName ?? '') ? undefined : this.#world.pod(pod)
  }
}

function withReady(pod: Pod, isReady: boolean, now: string): Pod {
  return withCondition(pod, { type: 'Ready', status: isReady ? 'True' : 'False' }, now)
}

function isAgent({ metadata }: Pod): boolean {
  return metadata.labels?.[names.appLabel] === 'virt-handler'
}

/** The version of a component's image. */
export function versionOf({ spec }: Pick<Pod, 'spec'>): string {
  return spec.containers[0]?.image?.split(':').at(-1) ?? ''
}
