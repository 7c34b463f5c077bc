import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { PersistentVolume } from '#api/core/v1/persistent-volume.ts'
import type { StorageClass } from '#api/storage/v1/storage-class.ts'
import { ageColumn, column, columnsOf, nameColumn } from '#apiserver/registry/columns.ts'
import type { TableColumn } from '#apiserver/registry/resource-definition.ts'

const shortModes: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
}

function modes(accessModes: readonly string[] | undefined): string {
  return Object.entries(shortModes)
    .filter(([mode]) => accessModes?.includes(mode) === true)
    .map(([, short]) => short)
    .join(',')
}

const wide = { priority: 1 }
const unset = '<unset>'
const claim = columnsOf<PersistentVolumeClaim>()
const volume = columnsOf<PersistentVolume>()
const storageClass = columnsOf<StorageClass>()

function isBound({ spec }: PersistentVolumeClaim): boolean {
  return (spec?.volumeName ?? '') !== ''
}

function claimStatus({ metadata, status }: PersistentVolumeClaim): string {
  return metadata?.deletionTimestamp === undefined ? (status?.phase ?? '') : 'Terminating'
}

/** Columns of `kubectl get persistentvolumeclaims`. */
export const claimColumns: readonly TableColumn[] = [
  nameColumn,
  claim('Status', claimStatus),
  claim('Volume', ({ spec }) => spec?.volumeName ?? ''),
  claim('Capacity', (object) => (isBound(object) ? (object.status?.capacity?.['storage'] ?? '') : '')),
  claim('Access Modes', (object) => (isBound(object) ? modes(object.status?.accessModes) : '')),
  claim('StorageClass', ({ spec }) => spec?.storageClassName ?? ''),
  claim('VolumeAttributesClass', ({ spec }) => spec?.volumeAttributesClassName ?? unset),
  ageColumn,
  claim('VolumeMode', ({ spec }) => spec?.volumeMode ?? unset, wide),
]

/** Columns of `kubectl get persistentvolumes`. */
export const volumeColumns: readonly TableColumn[] = [
  nameColumn,
  volume('Capacity', ({ spec }) => spec?.capacity?.['storage'] ?? ''),
  volume('Access Modes', ({ spec }) => modes(spec?.accessModes)),
  volume('Reclaim Policy', ({ spec }) => spec?.persistentVolumeReclaimPolicy ?? ''),
  volume('Status', ({ metadata, status }) => (metadata?.deletionTimestamp === undefined ? (status?.phase ?? '') : 'Terminating')),
  volume('Claim', ({ spec }) => (spec?.claimRef === undefined ? '' : `${spec.claimRef.namespace ?? ''}/${spec.claimRef.name ?? ''}`)),
  volume('StorageClass', ({ spec }) => spec?.storageClassName ?? ''),
  volume('VolumeAttributesClass', ({ spec }) => spec?.volumeAttributesClassName ?? unset),
  volume('Reason', ({ status }) => status?.reason ?? ''),
  ageColumn,
  volume('VolumeMode', ({ spec }) => spec?.volumeMode ?? unset, wide),
]

const defaultClass = 'storageclass.kubernetes.io/is-default-class'

/** Columns of `kubectl get storageclasses`. */
export const storageClassColumns: readonly TableColumn[] = [
  column('Name', ({ metadata }) => `${metadata?.name ?? ''}${metadata?.annotations?.[defaultClass] === 'true' ? ' (default)' : ''}`, {
    format: 'name',
  }),
  storageClass('Provisioner', ({ provisioner }) => provisioner),
  storageClass('ReclaimPolicy', ({ reclaimPolicy }) => reclaimPolicy ?? 'Delete'),
  storageClass('VolumeBindingMode', ({ volumeBindingMode }) => volumeBindingMode ?? 'Immediate'),
  storageClass('AllowVolumeExpansion', ({ allowVolumeExpansion }) => allowVolumeExpansion ?? false),
  ageColumn,
]
