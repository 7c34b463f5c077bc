import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { APIService } from './api-service.ts'

/** `/apis/apiregistration.k8s.io/v1/apiservices` */
export const apiServices: ResourceType<APIService> = {
  group: 'apiregistration.k8s.io',
  version: 'v1',
  kind: 'APIService',
  plural: 'apiservices',
  namespaced: false,
}
