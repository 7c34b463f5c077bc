/**
 * Served and stored versions of the instance type API. `createServedVersionsController` keeps the
 * versions that CustomResourceDefinitions serve in line with the feature gates, and
 * `createConvertedVersions` those of other kinds with a conversion webhook; `migrateStorage`
 * rewrites stored objects so that an old version can be removed. Captured copies are upgraded by
 * `revision-upgrade`.
 */
export { createConvertedVersions, createServedVersionsController } from './served/controller.ts'
export { migrateStorage, type Migration } from './storage/migrate.ts'
export { createStorageMigrator } from './storage/migrator.ts'
export { countObjects } from './storage/rewrite-objects.ts'
export { isOutdated, servedResource, storedVersionsOf } from './storage/stored-versions.ts'
