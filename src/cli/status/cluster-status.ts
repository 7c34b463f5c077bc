import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import type { MachineConfig } from '#machine/home/config.ts'
import { componentStates, unreadyNodes, type ComponentState } from './component-readiness.ts'

/** Components, nodes and guests of a machine, from the API. */
export interface ClusterStatus {
  readonly components: readonly ComponentState[]
  readonly unreadyNodes: readonly string[]
  /** Reports whether the VMI CRD is served: without a KubeVirt object it is not. */
  readonly installed: boolean
  readonly guests: readonly GuestSummary[]
}

/** One row of `steadyvm status`. */
interface GuestSummary {
  readonly namespace: string
  readonly name: string
  readonly phase: string
  readonly node: string
}

/** Reads components, nodes and guests. */
export async function readClusterStatus(client: Client, config: MachineConfig): Promise<ClusterStatus> {
  const components = await componentStates(client, config)
  const notReady = await unreadyNodes(client, config)
  const guests = await found(client.list(virtualMachineInstances))
  return { components, unreadyNodes: notReady, installed: guests !== undefined, guests: (guests?.items ?? []).map(describeGuest) }
}

function describeGuest({ metadata, status }: VirtualMachineInstance): GuestSummary {
  return {
    namespace: metadata?.namespace ?? '',
    name: metadata?.name ?? '',
    phase: status?.phase ?? 'Pending',
    node: status?.nodeName ?? '',
  }
}
