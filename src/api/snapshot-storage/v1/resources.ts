import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { VolumeSnapshotClass } from './volume-snapshot-class.ts'
import type { VolumeSnapshotContent } from './volume-snapshot-content.ts'
import type { VolumeSnapshot } from './volume-snapshot.ts'

/** `/apis/snapshot.storage.k8s.io/v1/volumesnapshots` */
export const volumeSnapshots: ResourceType<VolumeSnapshot> = {
  group: 'snapshot.storage.k8s.io',
  version: 'v1',
  kind: 'VolumeSnapshot',
  plural: 'volumesnapshots',
  namespaced: true,
}

/** `/apis/snapshot.storage.k8s.io/v1/volumesnapshotclasses` */
export const volumeSnapshotClasses: ResourceType<VolumeSnapshotClass> = {
  group: 'snapshot.storage.k8s.io',
  version: 'v1',
  kind: 'VolumeSnapshotClass',
  plural: 'volumesnapshotclasses',
  namespaced: false,
}

/** `/apis/snapshot.storage.k8s.io/v1/volumesnapshotcontents` */
export const volumeSnapshotContents: ResourceType<VolumeSnapshotContent> = {
  group: 'snapshot.storage.k8s.io',
  version: 'v1',
  kind: 'VolumeSnapshotContent',
  plural: 'volumesnapshotcontents',
  namespaced: false,
}
