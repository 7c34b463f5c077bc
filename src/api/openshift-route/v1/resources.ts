import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Route } from './route.ts'

/** `/apis/route.openshift.io/v1/routes` */
export const routes: ResourceType<Route> = {
  group: 'route.openshift.io',
  version: 'v1',
  kind: 'Route',
  plural: 'routes',
  namespaced: true,
}
