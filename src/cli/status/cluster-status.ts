import { componentNamespace } from '#api/access/component-users.ts'
import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import { hyperConvergeds } from '#api/hco/v1/resources.ts'
import type { PlatformUpgrade } from '#api/hco/v1/status.ts'
import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { cdiGroup, isForeignDefinition } from '#features/foreign-cdi/index.ts'
import type { MachineConfig } from '#machine/home/config.ts'
import { componentStates, unreadyNodes, type ComponentState } from './component-readiness.ts'

/** Components, nodes and guests of a machine, from the API. */
export interface ClusterStatus {
  readonly components: readonly ComponentState[]
  readonly unreadyNodes: readonly string[]
  /** Reports whether the VMI CRD is served: without a KubeVirt object it is not. */
  readonly installed: boolean
  readonly guests: readonly GuestSummary[]
  /** DataVolumes are left to CDI, whose CRDs are installed. */
  readonly importsByCdi?: true
  /** The upgrade of the platform of HyperConverged, while there is one. */
  readonly platformUpgrade?: PlatformUpgrade
}

/** One row of `steadyvm status`. */
interface GuestSummary {
  readonly namespace: string
  readonly name: string
  readonly phase: string
  readonly node: string
}

/** Reads components, nodes, guests and a running upgrade of the platform. */
export async function readClusterStatus(client: Client, config: MachineConfig): Promise<ClusterStatus> {
  const components = await componentStates(client, config)
  const notReady = await unreadyNodes(client, config)
  const guests = await found(client.list(virtualMachineInstances))
  const platforms = await found(client.list(hyperConvergeds, { namespace: componentNamespace }))
  const definition = await found(client.get(customResourceDefinitions, { name: `datavolumes.${cdiGroup}` }))
  const upgrade = platforms?.items[0]?.status?.steadyvm?.upgrade
  return {
    components,
    unreadyNodes: notReady,
    installed: guests !== undefined,
    guests: (guests?.items ?? []).map(describeGuest),
    ...(definition !== undefined && isForeignDefinition(definition) ? { importsByCdi: true as const } : {}),
    ...(upgrade === undefined || upgrade.completedAt !== undefined ? {} : { platformUpgrade: upgrade }),
  }
}

function describeGuest({ metadata, status }: VirtualMachineInstance): GuestSummary {
  return {
    namespace: metadata?.namespace ?? '',
    name: metadata?.name ?? '',
    phase: status?.phase ?? 'Pending',
    node: status?.nodeName ?? '',
  }
}
