export { type ClusterControllersOptions, createClusterControllers } from './cluster-controllers.ts'
export type { ResourceCatalog } from './resource-catalog.ts'
