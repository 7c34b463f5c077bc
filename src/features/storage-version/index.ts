export { migrateStorage, type Migration } from './migrate.ts'
export { createStorageMigrator } from './migrator.ts'
export { countObjects } from './rewrite-objects.ts'
export { isOutdated, servedResource, storedVersionsOf } from './stored-versions.ts'
