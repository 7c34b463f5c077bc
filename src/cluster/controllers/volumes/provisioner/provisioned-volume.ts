import { quantityToBytes, parseQuantity } from '#apimachinery/quantity.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { PersistentVolume } from '#api/core/v1/persistent-volume.ts'
import type { StorageClass } from '#api/storage/v1/storage-class.ts'
import { names } from '../binder/names.ts'

/** Name of the provisioner of this machine. */
export const localProvisioner = 'steadyvm.io/local'

/** Default storage class. All nodes share the disk, so that binding is immediate. */
export const localStorageClass: StorageClass = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'local', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
  provisioner: localProvisioner,
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'Immediate',
  allowVolumeExpansion: true,
}

/** Keeps a volume object until its data is removed. */
export const dataFinalizer = 'external-provisioner.volume.kubernetes.io/finalizer'

/** Name of a claim's volume, derived from the claim: a crash does not lead to a second volume. */
export function volumeName({ metadata }: PersistentVolumeClaim): string {
  return `pvc-${metadata.uid ?? ''}`
}

/** Reports whether the volume is a raw file rather than a directory. */
export function isBlock(object: PersistentVolumeClaim | PersistentVolume): boolean {
  return object.spec?.volumeMode === 'Block'
}

/** Size of a volume in bytes. */
export function bytesOf({ spec }: PersistentVolume): bigint {
  return quantityToBytes(parseQuantity(spec?.capacity?.['storage'] ?? '0'))
}

/** Kinds of CDI's group that virt-controller fills claims from. */
const populators = ['VolumeImportSource', 'VolumeUploadSource', 'VolumeCloneSource']

/** Reports whether the claim asks for content: an empty volume would look like lost data. Pure. */
export function asksForContent({ spec }: PersistentVolumeClaim): boolean {
  return (spec?.dataSourceRef ?? spec?.dataSource) !== undefined
}

/**
 * Reports why a claim that asks for content is never filled. Undefined if virt-controller fills it:
 * it fills another claim, and gives its volume to this one. Pure.
 */
export function unsupportedSource({ spec }: PersistentVolumeClaim, storageClass: StorageClass): string | undefined {
  const source = spec?.dataSourceRef ?? spec?.dataSource
  if (source === undefined) return undefined
  const { apiGroup = '', kind } = source
  if (apiGroup === '' && kind === 'PersistentVolumeClaim') return undefined
  if (apiGroup === 'cdi.kubevirt.io' && populators.includes(kind)) return undefined
  const what = `${source.kind ?? ''} "${source.name ?? ''}"`
  return (
    `failed to provision volume with StorageClass "${storageClass.metadata.name ?? ''}": ${localProvisioner} cannot fill volumes from ${what}. ` +
    'Name a PersistentVolumeClaim, a VolumeImportSource, a VolumeUploadSource or a VolumeCloneSource'
  )
}

/**
 * The volume for a claim. All nodes of this machine share its disk, so that every node reaches it,
 * and several may use it at once. Pure.
 */
export function provisionedVolume(claim: PersistentVolumeClaim, storageClass: StorageClass, path: string): PersistentVolume {
  const { namespace, name, uid, resourceVersion } = claim.metadata
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: volumeName(claim), annotations: { [names.provisionedBy]: localProvisioner }, finalizers: [dataFinalizer] },
    spec: {
      capacity: { storage: claim.spec?.resources?.requests?.['storage'] ?? '0' },
      accessModes: claim.spec?.accessModes ?? ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
      storageClassName: storageClass.metadata.name ?? '',
      volumeMode: isBlock(claim) ? 'Block' : 'Filesystem',
      ...(storageClass.mountOptions === undefined ? {} : { mountOptions: storageClass.mountOptions }),
      hostPath: { path, type: isBlock(claim) ? 'File' : 'Directory' },
      claimRef: {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        ...(namespace === undefined ? {} : { namespace }),
        ...(name === undefined ? {} : { name }),
        ...(uid === undefined ? {} : { uid }),
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      },
    },
  }
}
