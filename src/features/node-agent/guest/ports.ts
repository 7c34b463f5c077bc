import type { Pod } from '#api/core/v1/pod.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Client } from '#client/client.ts'
import { kvmResource, requestsDevice } from '#features/launcher/index.ts'
import { podsByVmi } from '#features/vmi/index.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { Logger } from '#runtime/process/log.ts'
import type { Recorder } from '#runtime/recorder/recorder.ts'
import type { GuestRegistry } from './guest-registry.ts'
import type { AgentPoller } from '../guest-agent/agent-poller.ts'
import type { Freezer } from '../guest-agent/freeze.ts'
import type { GuestIsolation } from '../isolation/guest-isolation.ts'
import type { GuestNetwork } from '../network/guest-network.ts'
import type { CredentialKeeper } from '../guest-agent/credentials.ts'
import type { GuestProber } from '../probes/guest-prober.ts'
import type { Host } from '../node/host.ts'

/** TLS credentials for migration streams between nodes. */
export interface MigrationCertificates {
  /** Folder in the layout that QEMU expects. */
  readonly directory: string
  /** Common name of all nodes' certificates. Default: each node's own name. */
  readonly name?: string
}

/** Dependencies of the guest and hardware reconcilers. */
export interface Ports {
  readonly client: Client
  readonly nodeName: string
  /** VMIs whose node label names this node. */
  readonly vmis: Lister<VirtualMachineInstance>
  /** VMIs whose migration target label names this node. */
  readonly incomingVmis: Lister<VirtualMachineInstance>
  /**
   * Returns the listen address for incoming migrations. @throws UnsupportedGuest when the node is
   * not in the network
   */
  readonly migrationAddress: (network: string | undefined) => string
  /** Without them migration streams are not encrypted. */
  readonly migrationCertificates: MigrationCertificates | undefined
  /** Launcher pods on this node, indexed by the UID of their VMI. */
  readonly pods: Lister<Pod>
  readonly guests: GuestRegistry
  /** Undefined: agents of guests are not asked. */
  readonly agents?: AgentPoller | undefined
  /** Undefined: agents get no credentials. */
  readonly credentials?: CredentialKeeper | undefined
  /** Undefined: writes of guests are not held back. */
  readonly freezer?: Pick<Freezer, 'freeze' | 'thaw'> | undefined
  /** Undefined: probes by the agents of guests are not carried out. */
  readonly prober?: GuestProber | undefined
  /** Undefined: guests reach nothing. */
  readonly network?: GuestNetwork | undefined
  /** Undefined: QEMU runs with the user and the view of its launcher. */
  readonly isolation?: GuestIsolation | undefined
  readonly host: Host
  /** Host of guests in containers without /dev/kvm, on a node with KVM. */
  readonly emulation?: Host
  readonly recorder: Pick<Recorder, 'event'>
  /** Called once for each guest whose system has panicked. */
  readonly onPanic?: ((vmi: VirtualMachineInstance) => void) | undefined
  readonly clock: Clock
  readonly log: Logger
}

/** Returns the launcher pod of a guest; undefined when it is not in the cache. */
export function podOf(
  { pods }: Pick<Ports, 'pods'>,
  { podUid }: { readonly podUid: string },
  vmi: VirtualMachineInstance | undefined,
): Pod | undefined {
  return pods.byIndex(podsByVmi, vmi?.metadata.uid ?? '').find(({ metadata }) => metadata.uid === podUid)
}

/** Returns the ports with the host as the launcher of a guest finds it. */
export function portsOf(ports: Ports, { podUid }: { readonly podUid: string }): Ports {
  if (ports.emulation === undefined) return ports
  const pod = ports.pods.list().find(({ metadata }) => metadata.uid === podUid)
  return pod === undefined || requestsDevice(pod, kvmResource) ? ports : { ...ports, host: ports.emulation }
}
