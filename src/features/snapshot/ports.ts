import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { VirtualMachineRestore } from '#api/snapshot/v1beta1/virtual-machine-restore.ts'
import type { VirtualMachineSnapshotContent } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import type { VirtualMachineSnapshot } from '#api/snapshot/v1beta1/virtual-machine-snapshot.ts'
import type { StorageClass } from '#api/storage/v1/storage-class.ts'
import type { Client } from '#client/client.ts'
import type { ClusterConfig } from '#features/cluster-config/index.ts'
import type { Lookup } from '#features/instancetype/index.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import { withSignal } from '#runtime/controller/with-signal.ts'
import type { Recorder } from '#runtime/recorder/recorder.ts'

/** Index of VMs by namespace and name of the snapshot that locks them. */
export const vmsBySnapshot = 'snapshotInProgress'
/** Index of VMs by namespace and name of the restore that locks them. */
export const vmsByRestore = 'restoreInProgress'
/** Index of snapshots in progress, by namespace and name of the VM. */
export const snapshotsBySource = 'source'
/** Index of content by namespace and name of its snapshot. */
export const contentsBySnapshot = 'snapshot'
/** Index of restores by namespace and name of their snapshot. */
export const restoresBySnapshot = 'snapshot'
/** Index of restores in progress, by namespace and name of the VM. */
export const restoresByTarget = 'target'

/** Index of VMIs by namespace and name of the snapshot that their disks are copied for. */
export const vmisBySnapshot = 'copied-for'
/** Index of pods that attach targets of copies, by namespace and name of the snapshot. */
export const podsBySnapshot = 'copied-for'

/** Dependencies of the reconcilers of snapshots and restores. */
export interface Ports {
  readonly client: Client
  /** Indexed by {@link vmsBySnapshot} and {@link vmsByRestore}. */
  readonly vms: Lister<VirtualMachine>
  /** Indexed by {@link vmisBySnapshot}. */
  readonly vmis: Lister<VirtualMachineInstance>
  /** Launcher pods, indexed by `podsByVmi`. */
  readonly launchers: Lister<Pod>
  /** Pods that attach volumes, indexed by {@link podsBySnapshot}. */
  readonly attachments: Lister<Pod>
  readonly claims: Lister<PersistentVolumeClaim>
  readonly dataVolumes: Lister<DataVolume>
  readonly classes: Lister<StorageClass>
  /** Image of the launcher, with version. */
  readonly launcherImage: string
  /** True if launchers run in containers. */
  readonly inContainer: boolean
  /** Indexed by `revisionsByOwner`. */
  readonly revisions: Lister<ControllerRevision>
  readonly snapshots: Lister<VirtualMachineSnapshot>
  /** Indexed by {@link contentsBySnapshot} and `contentsByRevision`. */
  readonly contents: Lister<VirtualMachineSnapshotContent>
  /** Indexed by {@link restoresBySnapshot}. */
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
