import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { Client } from '#client/client.ts'
import type { ClusterConfig } from '#features/cluster-config/index.ts'
import type { Family, Lookup } from '#features/instancetype/index.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { Recorder } from '#runtime/recorder/recorder.ts'

/** Dependencies of the revision upgrade. */
export interface Ports {
  readonly client: Client
  readonly vms: Lister<VirtualMachine>
  readonly vmis: Lister<VirtualMachineInstance>
  /** With index {@link revisionsByOwner}. */
  readonly revisions: Lister<ControllerRevision>
  readonly lookup: Pick<Lookup, 'cached'>
  /** Reports whether an object other than the VM references a revision of its namespace. */
  readonly isReferredElsewhere: (vm: VirtualMachine, revision: string) => boolean
  readonly recorder: Pick<Recorder, 'event'>
  /** Counts upgraded and failed revisions. */
  readonly count?: (family: Family, result: 'upgraded' | 'failed') => void
  readonly clock: Pick<Clock, 'now'>
  /** Returns the current configuration of the KubeVirt object. */
  readonly config: () => ClusterConfig
}
