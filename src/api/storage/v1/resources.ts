import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { StorageClass } from './storage-class.ts'

/** `/apis/storage.k8s.io/v1/storageclasses` */
export const storageClasses: ResourceType<StorageClass> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'StorageClass',
  plural: 'storageclasses',
  namespaced: false,
}
