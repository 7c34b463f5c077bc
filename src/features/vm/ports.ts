import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { Client } from '#client/client.ts'
import type { ClusterConfig } from '#features/cluster-config/index.ts'
import type { Lookup } from '#features/instancetype/index.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { Recorder } from '#runtime/recorder/recorder.ts'

/** Dependencies of the VM reconciler. */
export interface Ports {
  readonly client: Client
  readonly vms: Lister<VirtualMachine>
  readonly vmis: Lister<VirtualMachineInstance>
  readonly dataVolumes: Pick<Lister<DataVolume>, 'get'>
  readonly claims: Pick<Lister<PersistentVolumeClaim>, 'get'>
  readonly revisions: Lister<ControllerRevision>
  readonly lookup: Lookup
  readonly recorder: Pick<Recorder, 'event'>
  readonly clock: Clock
  /** Returns numbers in [0, 1), to spread retries. */
  readonly random: () => number
  /** Returns the current configuration, which follows the KubeVirt object. */
  readonly config: () => ClusterConfig
}
