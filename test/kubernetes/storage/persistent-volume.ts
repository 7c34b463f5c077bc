import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { PersistentVolume } from '#api/core/v1/persistent-volume.ts'
import type { StorageClass } from '#api/storage/v1/storage-class.ts'

/** Name of the provisioner of test clusters. */
export const provisionerName = 'storage.tests.steadyvm.io'

/** Annotations by which Kubernetes and provisioners talk to each other. */
export const annotations = {
  /** On claims: who is to make the volume. */
  provisioner: 'volume.kubernetes.io/storage-provisioner',
  /** On claims that wait for their first pod: the node that the scheduler has chosen for it. */
  selectedNode: 'volume.kubernetes.io/selected-node',
  /** On volumes: who made them, and is to remove them. */
  provisionedBy: 'pv.kubernetes.io/provisioned-by',
} as const

/**
 * Volumes of `shared` can be used by all nodes at the same time, which live migration needs; those
 * of `local` belong to the node of their first pod.
 */
export const storageClasses: readonly StorageClass[] = [
  storageClass('shared', 'Immediate', { 'storageclass.kubernetes.io/is-default-class': 'true' }),
  storageClass('local', 'WaitForFirstConsumer', {}),
]

/** Name of a claim's volume, derived from the claim: a second attempt makes no second volume. */
export function volumeNameOf({ metadata }: PersistentVolumeClaim): string {
  return `pvc-${metadata.uid ?? ''}`
}

/** Returns the mode of a claim or a volume. */
export function modeOf({ spec }: PersistentVolumeClaim | PersistentVolume): 'Filesystem' | 'Block' {
  return spec?.volumeMode === 'Block' ? 'Block' : 'Filesystem'
}

/** Returns the volume of a claim, which one node can use, or all when undefined. */
export function persistentVolumeOf(claim: PersistentVolumeClaim, path: string, node: string | undefined): PersistentVolume {
  const { namespace = '', name = '', uid = '' } = claim.metadata
  const { accessModes = [], resources, storageClassName = '' } = claim.spec ?? {}
  const affinity =
    node === undefined
      ? { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] }
      : { key: 'kubernetes.io/hostname', operator: 'In', values: [node] }
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: volumeNameOf(claim), annotations: { [annotations.provisionedBy]: provisionerName } },
    spec: {
      storageClassName,
      accessModes,
      capacity: { storage: resources?.requests?.['storage'] ?? '0' },
      volumeMode: modeOf(claim),
      persistentVolumeReclaimPolicy: 'Delete',
      local: { path },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [affinity] }] } },
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid },
    },
  }
}

function storageClass(name: string, volumeBindingMode: string, annotated: Readonly<Record<string, string>>): StorageClass {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name, annotations: annotated },
    provisioner: provisionerName,
    reclaimPolicy: 'Delete',
    volumeBindingMode,
    allowVolumeExpansion: true,
  }
}
