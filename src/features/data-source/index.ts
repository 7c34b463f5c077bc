/**
 * DataSources: stable names for images that DataVolumes copy.
 *
 * `createDataSourceController` runs in virt-controller and keeps their status. `resolveSource` is
 * the pure part: what a DataSource leads to, and why it cannot be copied yet. `cdiCondition` writes
 * conditions as CDI does. Does not import images: `#features/data-import-cron` does.
 */
export { cdiCondition } from './cdi-condition.ts'
export { createDataSourceController, type DataSourceControllerOptions } from './controller.ts'
export { resolveSource, type Resolution, type SourceLookup } from './resolve.ts'
