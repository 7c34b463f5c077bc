import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { CSIDriver, CSINode, CSIStorageCapacity, VolumeAttachment } from './csi.ts'
import type { StorageClass } from './storage-class.ts'

/** `/apis/storage.k8s.io/v1/storageclasses` */
export const storageClasses: ResourceType<StorageClass> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'StorageClass',
  plural: 'storageclasses',
  namespaced: false,
}

/** `/apis/storage.k8s.io/v1/csidrivers` */
export const csiDrivers: ResourceType<CSIDriver> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'CSIDriver',
  plural: 'csidrivers',
  namespaced: false,
}

/** `/apis/storage.k8s.io/v1/csinodes` */
export const csiNodes: ResourceType<CSINode> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'CSINode',
  plural: 'csinodes',
  namespaced: false,
}

/** `/apis/storage.k8s.io/v1/volumeattachments` */
export const volumeAttachments: ResourceType<VolumeAttachment> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'VolumeAttachment',
  plural: 'volumeattachments',
  namespaced: false,
}

/** `/apis/storage.k8s.io/v1/csistoragecapacities` */
export const csiStorageCapacities: ResourceType<CSIStorageCapacity> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'CSIStorageCapacity',
  plural: 'csistoragecapacities',
  namespaced: true,
}
