export { createGarbageCollector, type GarbageCollectorOptions } from './garbage-collector.ts'
export type { ResourceCatalog } from './resource-catalog.ts'
