import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { DataSource } from './data-source.ts'
import type { DataVolume } from './data-volume.ts'

/** `/apis/cdi.kubevirt.io/v1beta1/datavolumes` */
export const dataVolumes: ResourceType<DataVolume> = {
  group: 'cdi.kubevirt.io',
  version: 'v1beta1',
  kind: 'DataVolume',
  plural: 'datavolumes',
  namespaced: true,
}

/** `/apis/cdi.kubevirt.io/v1beta1/datasources` */
export const dataSources: ResourceType<DataSource> = {
  group: 'cdi.kubevirt.io',
  version: 'v1beta1',
  kind: 'DataSource',
  plural: 'datasources',
  namespaced: true,
}
