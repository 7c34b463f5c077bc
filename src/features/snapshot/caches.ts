import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { dataVolumes } from '#api/cdi/v1beta1/resources.ts'
import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { persistentVolumeClaims, pods } from '#api/core/v1/resources.ts'
import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { isRestoreFinal, isSnapshotFinal } from '#api/snapshot/v1beta1/phase.ts'
import { virtualMachineRestores, virtualMachineSnapshotContents, virtualMachineSnapshots } from '#api/snapshot/v1beta1/resources.ts'
import type { VirtualMachineRestore } from '#api/snapshot/v1beta1/virtual-machine-restore.ts'
import type { VirtualMachineSnapshotContent } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import type { VirtualMachineSnapshot } from '#api/snapshot/v1beta1/virtual-machine-snapshot.ts'
import type { StorageClass } from '#api/storage/v1/storage-class.ts'
import { storageClasses } from '#api/storage/v1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { LiveConfig } from '#features/cluster-config/index.ts'
import { contentsByRevision, referencesOf } from '#features/instancetype/index.ts'
import { attachmentSelector, launchersIn } from '#features/vmi/index.ts'
import type { InformerSet } from '#runtime/cache/informer-set.ts'
import type { Informer } from '#runtime/cache/lister.ts'
import type { SharedControllerOptions } from '#runtime/controller/controller.ts'
import type { Request } from '#runtime/controller/reconcile.ts'
import {
  contentsBySnapshot,
  restoresBySnapshot,
  restoresByTarget,
  snapshotsBySource,
  podsBySnapshot,
  vmisBySnapshot,
  vmsByRestore,
  vmsBySnapshot,
  type Ports,
} from './ports.ts'
import { copiesForAnnotation } from './names.ts'
import { restoresLocking, snapshotsLocking } from './locks/stale-locks.ts'

/** Caches of the snapshot controllers. */
export interface SnapshotCaches {
  readonly vms: Informer<VirtualMachine>
  readonly vmis: Informer<VirtualMachineInstance>
  readonly launchers: Informer<Pod>
  readonly attachments: Informer<Pod>
  readonly claims: Informer<PersistentVolumeClaim>
  readonly dataVolumes: Informer<DataVolume>
  readonly classes: Informer<StorageClass>
  readonly snapshots: Informer<VirtualMachineSnapshot>
  readonly contents: Informer<VirtualMachineSnapshotContent>
  readonly restores: Informer<VirtualMachineRestore>
  readonly revisions: Informer<ControllerRevision>
}

/** Dependencies of each of the snapshot controllers. */
export interface SnapshotControllerOptions
  extends
    Omit<SharedControllerOptions, 'informers'>,
    Pick<Ports, 'client' | 'recorder' | 'config' | 'lookup' | 'launcherImage' | 'inContainer'> {
  readonly live: Pick<LiveConfig, 'wake'>
  readonly caches: SnapshotCaches
}

/**
 * Returns the caches of the snapshot controllers, with their indexes. The VM controller adds the
 * indexes of revisions, and of VMs by revision.
 */
export function snapshotCachesIn(informers: InformerSet): SnapshotCaches {
  const vms = informers.informer(virtualMachines)
  const vmis = informers.informer(virtualMachineInstances)
  const snapshots = informers.informer(virtualMachineSnapshots)
  const contents = informers.informer(virtualMachineSnapshotContents)
  const restores = informers.informer(virtualMachineRestores)
  const attachments = informers.informer(pods, { labelSelector: attachmentSelector })
  vmis.addIndex(vmisBySnapshot, (vmi) => snapshotsCopying(vmi).map(keyOfRequest))
  attachments.addIndex(podsBySnapshot, (pod) => snapshotsOfPod(pod).map(keyOfRequest))
  vms.addIndex(vmsBySnapshot, (vm) => snapshotsLocking(vm).map(keyOfRequest))
  vms.addIndex(vmsByRestore, (vm) => restoresLocking(vm).map(keyOfRequest))
  snapshots.addIndex(snapshotsBySource, (snapshot) => (isSnapshotFinal(snapshot) ? [] : [keyIn(snapshot, snapshot.spec.source.name)]))
  contents.addIndex(contentsBySnapshot, (content) => [keyIn(content, content.spec.virtualMachineSnapshotName)])
  restores.addIndex(restoresBySnapshot, (restore) => [keyIn(restore, restore.spec.virtualMachineSnapshotName)])
  restores.addIndex(restoresByTarget, (restore) => (isRestoreFinal(restore) ? [] : [keyIn(restore, restore.spec.target.name)]))
  contents.addIndex(contentsByRevision, (content) => referencesOf(content).map(({ namespace, revision }) => `${namespace}/${revision}`))
  return {
    vms,
    vmis,
    launchers: launchersIn(informers),
    attachments,
    claims: informers.informer(persistentVolumeClaims),
    dataVolumes: informers.informer(dataVolumes),
    classes: informers.informer(storageClasses),
    snapshots,
    contents,
    restores,
    revisions: informers.informer(controllerRevisions),
  }
}

/** The snapshot that the disks of a guest are copied for. */
export function snapshotsCopying({ metadata, status }: VirtualMachineInstance): readonly Request[] {
  const name = status?.steadyvm?.diskCopy?.snapshotName
  return name === undefined ? [] : [{ namespace: metadata.namespace ?? '', name }]
}

/** The snapshot that a pod attaches the target of a copy for. */
export function snapshotsOfPod({ metadata }: Pod): readonly Request[] {
  const name = metadata.annotations?.[copiesForAnnotation]
  return name === undefined ? [] : [{ namespace: metadata.namespace ?? '', name }]
}

/** Returns the key of the indexes: a name in the namespace of an object. */
export function keyIn({ metadata }: KubeObject, name: string | undefined): string {
  return `${metadata?.namespace ?? ''}/${name ?? ''}`
}

function keyOfRequest({ namespace, name }: Request): string {
  return `${namespace}/${name}`
}
