import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Volume } from '#api/kubevirt/v1/volume.ts'
import type { VirtualMachineSnapshotContent, VolumeBackup } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import type { VolumeSnapshot } from '#api/snapshot-storage/v1/volume-snapshot.ts'
import type { OwnerReference } from '#apimachinery/meta/object-meta.ts'
import { volumeNames } from '#features/data-volume/index.ts'
import { attachmentPodOf, names as podNames } from '#features/vmi/index.ts'
import { contentType, copiesForAnnotation } from '../names.ts'

/** The content owns its backups: they are deleted with it. */
function ownerOf({ metadata: { name = '', uid = '' } }: VirtualMachineSnapshotContent): OwnerReference {
  return { ...contentType, name, uid }
}

/** Returns the claim that gets the copy of a volume: of the size and class of the source. Pure. */
export function copyClaimOf(
  content: VirtualMachineSnapshotContent,
  { persistentVolumeClaim, steadyvm }: VolumeBackup,
): PersistentVolumeClaim {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: steadyvm?.copyClaimName ?? '', namespace: content.metadata.namespace ?? '', ownerReferences: [ownerOf(content)] },
    spec: { ...persistentVolumeClaim.spec },
  }
}

/** Returns the DataVolume whose worker copies a volume that no guest uses. Pure. */
export function copyDataVolumeOf(content: VirtualMachineSnapshotContent, { persistentVolumeClaim, steadyvm }: VolumeBackup): DataVolume {
  const { namespace = '' } = content.metadata
  return copyingDataVolume(steadyvm?.copyClaimName ?? '', persistentVolumeClaim.metadata?.name ?? '', {
    namespace,
    owner: ownerOf(content),
    spec: { ...persistentVolumeClaim.spec },
  })
}

/** Place, owner and claim of a DataVolume that copies a claim. */
interface CopyPlace {
  readonly namespace: string
  readonly owner: OwnerReference
  readonly spec: NonNullable<DataVolume['spec']['pvc']>
}

/** Returns a DataVolume that copies a claim, also when nothing else uses it yet. Pure. */
export function copyingDataVolume(name: string, from: string, { namespace, owner, spec }: CopyPlace): DataVolume {
  return {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataVolume',
    metadata: { name, namespace, annotations: { [volumeNames.immediateBinding]: '' }, ownerReferences: [owner] },
    spec: { source: { pvc: { namespace, name: from } }, pvc: spec },
  }
}

/** Returns the VolumeSnapshot of a volume. Pure. */
export function volumeSnapshotOf(
  content: VirtualMachineSnapshotContent,
  { persistentVolumeClaim, volumeSnapshotName = '' }: VolumeBackup,
  volumeSnapshotClassName: string,
): VolumeSnapshot {
  return {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshot',
    metadata: { name: volumeSnapshotName, namespace: content.metadata.namespace ?? '', ownerReferences: [ownerOf(content)] },
    spec: { source: { persistentVolumeClaimName: persistentVolumeClaim.metadata?.name ?? '' }, volumeSnapshotClassName },
  }
}

/** Returns the volume of a pod that attaches the target of a copy. */
export function copyVolume({ volumeName, steadyvm }: VolumeBackup): Volume {
  return { name: volumeName, persistentVolumeClaim: { claimName: steadyvm?.copyClaimName ?? '' } }
}

/** Returns the pod that attaches the target of a copy to the node of a guest. Pure. */
export function copyPodOf(backup: VolumeBackup, { snapshotName, vmi, launcher, ...place }: CopyPodOptions): Pod {
  const isBlock = backup.persistentVolumeClaim.spec?.volumeMode === 'Block'
  const pod = attachmentPodOf(vmi, launcher, copyVolume(backup), { ...place, isBlock })
  const { [podNames.mountsAnnotation]: mounts = 'none' } = pod.metadata.annotations ?? {}
  const annotations = { [copiesForAnnotation]: snapshotName, [podNames.mountsAnnotation]: mounts }
  return { ...pod, metadata: { ...pod.metadata, annotations } }
}

/** Options of {@link copyPodOf}. */
export interface CopyPodOptions {
  readonly snapshotName: string
  readonly vmi: VirtualMachineInstance
  readonly launcher: Pod
  /** Image of launchers, with version. */
  readonly image: string
  readonly inContainer: boolean
}
