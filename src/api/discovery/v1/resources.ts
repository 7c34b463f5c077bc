import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { EndpointSlice } from './endpoint-slice.ts'

/** `/apis/discovery.k8s.io/v1/endpointslices` */
export const endpointSlices: ResourceType<EndpointSlice> = {
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  namespaced: true,
}
