import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { CDI } from './cdi.ts'
import type { CDIConfig } from './cdi-config.ts'
import type { DataImportCron } from './data-import-cron.ts'
import type { DataSource } from './data-source.ts'
import type { DataVolume } from './data-volume.ts'
import type { ObjectTransfer } from './object-transfer.ts'
import type { StorageProfile } from './storage-profile.ts'
import type { VolumeCloneSource } from './volume-clone-source.ts'
import type { VolumeImportSource } from './volume-import-source.ts'
import type { VolumeUploadSource } from './volume-upload-source.ts'

const groupVersion = { group: 'cdi.kubevirt.io', version: 'v1beta1' } as const

/** `/apis/cdi.kubevirt.io/v1beta1/datavolumes` */
export const dataVolumes: ResourceType<DataVolume> = {
  ...groupVersion,
  kind: 'DataVolume',
  plural: 'datavolumes',
  namespaced: true,
}

/** `/apis/cdi.kubevirt.io/v1beta1/datasources` */
export const dataSources: ResourceType<DataSource> = {
  ...groupVersion,
  kind: 'DataSource',
  plural: 'datasources',
  namespaced: true,
}

/** `/apis/cdi.kubevirt.io/v1beta1/dataimportcrons` */
export const dataImportCrons: ResourceType<DataImportCron> = {
  ...groupVersion,
  kind: 'DataImportCron',
  plural: 'dataimportcrons',
  namespaced: true,
}

/** `/apis/cdi.kubevirt.io/v1beta1/storageprofiles` */
export const storageProfiles: ResourceType<StorageProfile> = {
  ...groupVersion,
  kind: 'StorageProfile',
  plural: 'storageprofiles',
  namespaced: false,
}

/** `/apis/cdi.kubevirt.io/v1beta1/cdis` */
export const cdis: ResourceType<CDI> = {
  ...groupVersion,
  kind: 'CDI',
  plural: 'cdis',
  namespaced: false,
}

/** `/apis/cdi.kubevirt.io/v1beta1/cdiconfigs` */
export const cdiConfigs: ResourceType<CDIConfig> = {
  ...groupVersion,
  kind: 'CDIConfig',
  plural: 'cdiconfigs',
  namespaced: false,
}

/** `/apis/cdi.kubevirt.io/v1beta1/volumeimportsources` */
export const volumeImportSources: ResourceType<VolumeImportSource> = {
  ...groupVersion,
  kind: 'VolumeImportSource',
  plural: 'volumeimportsources',
  namespaced: true,
}

/** `/apis/cdi.kubevirt.io/v1beta1/volumeuploadsources` */
export const volumeUploadSources: ResourceType<VolumeUploadSource> = {
  ...groupVersion,
  kind: 'VolumeUploadSource',
  plural: 'volumeuploadsources',
  namespaced: true,
}

/** `/apis/cdi.kubevirt.io/v1beta1/volumeclonesources` */
export const volumeCloneSources: ResourceType<VolumeCloneSource> = {
  ...groupVersion,
  kind: 'VolumeCloneSource',
  plural: 'volumeclonesources',
  namespaced: true,
}

/** `/apis/cdi.kubevirt.io/v1beta1/objecttransfers` */
export const objectTransfers: ResourceType<ObjectTransfer> = {
  ...groupVersion,
  kind: 'ObjectTransfer',
  plural: 'objecttransfers',
  namespaced: false,
}
