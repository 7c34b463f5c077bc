import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { VolumeSnapshot } from './volume-snapshot.ts'

/** `/apis/snapshot.storage.k8s.io/v1/volumesnapshots` */
export const volumeSnapshots: ResourceType<VolumeSnapshot> = {
  group: 'snapshot.storage.k8s.io',
  version: 'v1',
  kind: 'VolumeSnapshot',
  plural: 'volumesnapshots',
  namespaced: true,
}
