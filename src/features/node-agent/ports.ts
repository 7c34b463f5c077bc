import type { Pod } from '#api/core/v1/pod.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Client } from '#client/client.ts'
import type { MigrationTls } from '#qemu/index.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import type { Clock } from '#runtime/clock.ts'
import type { Logger } from '#runtime/log.ts'
import type { Recorder } from '#runtime/recorder/recorder.ts'
import type { Guests } from './guests.ts'
import type { Host } from './host.ts'

/** What the guest reconciler needs from the world. */
export interface Ports {
  readonly client: Client
  readonly nodeName: string
  /** VMIs that belong to this node. */
  readonly vmis: Lister<VirtualMachineInstance>
  /** VMIs that are to come to this node. */
  readonly coming: Lister<VirtualMachineInstance>
  /** Where guests that come are received. */
  readonly migrationAddress: string
  /** Certificates for guests that come and go; without them they travel in the clear. */
  readonly migrationTls: MigrationTls | undefined
  /** Launcher pods on this node, indexed by the uid of their VMI. */
  readonly pods: Lister<Pod>
  readonly guests: Guests
  readonly host: Host
  readonly recorder: Pick<Recorder, 'event'>
  readonly clock: Clock
  readonly log: Logger
}
