import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { VirtualMachineRestore } from '#api/snapshot/v1beta1/virtual-machine-restore.ts'
import type { VirtualMachineSnapshotContent } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import type { VirtualMachineSnapshot } from '#api/snapshot/v1beta1/virtual-machine-snapshot.ts'
import type { Client } from '#client/client.ts'
import type { ClusterConfig } from '#features/cluster-config/index.ts'
import type { Lookup } from '#features/instancetype/index.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import type { Clock } from '#runtime/clock.ts'
import { withSignal } from '#runtime/controller/with-signal.ts'
import type { Recorder } from '#runtime/recorder/recorder.ts'

/** Dependencies of the reconcilers of snapshots and restores. */
export interface Ports {
  readonly client: Client
  readonly vms: Lister<VirtualMachine>
  readonly vmis: Lister<VirtualMachineInstance>
  readonly revisions: Lister<ControllerRevision>
  readonly snapshots: Lister<VirtualMachineSnapshot>
  readonly contents: Lister<VirtualMachineSnapshotContent>
  readonly restores: Lister<VirtualMachineRestore>
  readonly lookup: Lookup
  readonly recorder: Pick<Recorder, 'event'>
  readonly clock: Clock
  /** Asked each time: it follows the KubeVirt object. */
  readonly config: () => ClusterConfig
}

/** Binds every request of a pass to its signal, which aborts when the lease is lost. */
export function boundTo<P extends Pick<Ports, 'client' | 'lookup'>>(signal: AbortSignal, ports: P): P {
  const { client, lookup } = ports
  return { ...ports, client: withSignal(client, signal), lookup: { ...lookup, client: withSignal(lookup.client, signal) } }
}
