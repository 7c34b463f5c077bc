export { type ClusterControllersOptions, createClusterControllers } from './cluster-controllers.ts'
export { createRegistryCatalog } from './registry-catalog.ts'
export type { ResourceCatalog } from './resource-catalog.ts'
