import type { Pod } from '#api/core/v1/pod.ts'
import { nodes, pods } from '#api/core/v1/resources.ts'
import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { names } from '#features/vmi/index.ts'
import { withCondition } from './cluster.ts'
import { NodeAgent } from './node-agent.ts'
import type { Commit } from './store.ts'
import { keyOf, type Environment } from './environment.ts'

/** All kubelets: they start the pods of their node, and end deleted ones. */
export class Kubelets {
  /** Running agents by node. */
  readonly agents = new Map<string, NodeAgent>()
  /** Versions whose agents exit at their start. */
  readonly broken = new Set<string>()
  readonly #environment: Environment

  constructor(environment: Environment) {
    this.#environment = environment
    environment.api.store.listeners.add((commit) => this.#see(commit))
  }

  /** Kills an agent, which is restarted. */
  crash(node: string): void {
    const pod = this.#stopAgent(node)
    if (pod === undefined || this.#environment.pod(pod) === undefined) return
    this.#setReady(pod, false)
    this.#environment.later(1_000, 3_000, () => this.#startAgent(pod))
  }

  /**
   * Restores the power of a node: deleted pods are removed, other ones have ended, and agents
   * restart.
   */
  revive(node: string, bound: readonly Pod[]): void {
    const environment = this.#environment
    environment.poweredOff.delete(node)
    environment.change('kubelet', nodes, { name: node }, (now) => withCondition(now, { type: 'Ready', status: 'True' }, environment.now()))
    for (const pod of bound) {
      if (pod.metadata.deletionTimestamp !== undefined) this.#remove(pod)
      else if (isAgent(pod)) environment.later(1_000, 3_000, () => this.#startAgent(pod))
      else
        environment.change('kubelet', pods, keyOf(pod), (now) => ({
          ...withReady(now, false, environment.now()),
          status: { ...now.status, phase: 'Failed' as const },
        }))
    }
  }

  /** Stops the agent of a node that lost power. */
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
    if (old?.spec.nodeName === undefined) this.#environment.later(300, 2_000, () => this.#start(pod))
    if (pod.metadata.deletionTimestamp !== undefined && old?.metadata.deletionTimestamp === undefined) {
      if (isAgent(pod)) this.#stopAgent(node, pod)
      this.#environment.later(200, 1_500, () => this.#remove(pod))
    }
  }

  /** Notifies the agents of the nodes that a VMI concerns. */
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
      this.#environment.change(
        'kubelet',
        pods,
        keyOf(pod),
        (one) => ({ ...one, status: { ...one.status, containerStatuses: [end] } }) as Pod,
      )
      return this.#setReady(pod, false)
    }
    this.agents.set(node, new NodeAgent(this.#environment, pod, version))
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
    this.#environment.hypervisor.end(pod.metadata.uid ?? '', 'its pod was deleted')
    this.#environment.api.delete('kubelet', pods, keyOf(pod), { gracePeriodSeconds: 0 })
  }

  #setReady(pod: Pod, isReady: boolean): void {
    this.#environment.change('kubelet', pods, keyOf(pod), (now) => {
      const ready = withReady(now, isReady, this.#environment.now())
      return { ...ready, status: { ...ready.status, phase: 'Running' as const } }
    })
  }

  /** Returns the current pod; undefined when its node has no power. */
  #alive(pod: Pod): Pod | undefined {
    return this.#environment.poweredOff.has(pod.spec.nodeName ?? '') ? undefined : this.#environment.pod(pod)
  }
}

function withReady(pod: Pod, isReady: boolean, now: string): Pod {
  return withCondition(pod, { type: 'Ready', status: isReady ? 'True' : 'False' }, now)
}

function isAgent({ metadata }: Pod): boolean {
  return metadata.labels?.[names.appLabel] === 'virt-handler'
}

/** Returns the version of a component's image. */
export function versionOf({ spec }: Pick<Pod, 'spec'>): string {
  return spec.containers[0]?.image?.split(':').at(-1) ?? ''
}
