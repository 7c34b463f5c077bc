import type { Pod } from '#api/core/v1/pod.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Client } from '#client/client.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import type { Clock } from '#runtime/clock.ts'
import type { Logger } from '#runtime/log.ts'
import type { Recorder } from '#runtime/recorder/recorder.ts'
import type { GuestRegistry } from './guest-registry.ts'
import type { Host } from '../node/host.ts'

/** What nodes show each other when guests move between them. */
export interface MigrationCertificates {
  /** Folder with the files that QEMU looks for. */
  readonly directory: string
  /** Name in the certificates of all nodes; without, each has that of its node. */
  readonly name?: string
}

/** What the guest reconciler needs from the world. */
export interface Ports {
  readonly client: Client
  readonly nodeName: string
  /** VMIs that belong to this node. */
  readonly vmis: Lister<VirtualMachineInstance>
  /** VMIs that are to come to this node. */
  readonly incomingVmis: Lister<VirtualMachineInstance>
  /**
   * Where guests that come are received, if they move by this network. @throws UnsupportedGuest
   * when the node is not in it
   */
  readonly migrationAddress: (network: string | undefined) => string
  /** For guests that come and go; without them they travel in the clear. */
  readonly migrationCertificates: MigrationCertificates | undefined
  /** Launcher pods on this node, indexed by the uid of their VMI. */
  readonly pods: Lister<Pod>
  readonly guests: GuestRegistry
  readonly host: Host
  readonly recorder: Pick<Recorder, 'event'>
  readonly clock: Clock
  readonly log: Logger
}
