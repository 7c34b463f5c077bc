import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { Service } from '#api/core/v1/service.ts'
import type { VirtualMachineExport } from '#api/export/v1/virtual-machine-export.ts'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { VirtualMachineSnapshotContent } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import type { VirtualMachineSnapshot } from '#api/snapshot/v1beta1/virtual-machine-snapshot.ts'
import type { Client } from '#client/client.ts'
import type { ServingSource } from '#features/certificates/index.ts'
import type { ClusterConfig } from '#features/cluster-config/index.ts'
import type { Lookup } from '#features/instancetype/index.ts'
import type { Informer, Lister } from '#runtime/cache/lister.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { Recorder } from '#runtime/recorder/recorder.ts'
import type { External } from './links/link.ts'

/** Dependencies of the reconciler of exports. */
export interface Ports {
  readonly client: Client
  readonly exports: Lister<VirtualMachineExport>
  readonly vms: Lister<VirtualMachine>
  readonly vmis: Lister<VirtualMachineInstance>
  readonly claims: Lister<PersistentVolumeClaim>
  readonly snapshots: Lister<VirtualMachineSnapshot>
  readonly contents: Lister<VirtualMachineSnapshotContent>
  /** Those of exports only. */
  readonly pods: Informer<Pod>
  /** Those of exports only. */
  readonly services: Informer<Service>
  readonly kubevirts: Lister<KubeVirt>
  /** Finds instance types and preferences. */
  readonly lookup: Lookup
  readonly config: () => ClusterConfig
  readonly authority: Pick<ServingSource, 'current'>
  readonly external: (vmExport: VirtualMachineExport) => Promise<External>
  readonly recorder: Pick<Recorder, 'event'>
  readonly clock: Clock
  /** Image of the export server, with version. */
  readonly exportServerImage: string
  /** True if the kubelets run containers, and not processes of the machine. */
  readonly inContainer: boolean
}
