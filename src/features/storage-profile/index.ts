/**
 * StorageProfiles, CDIConfig and the CDI object: what claims for disks of guests look like on each
 * storage class, and the settings of imports.
 *
 * `createStorageProfileControllers` keeps the objects. `importSettingsOf`, `defaultStorageClass`
 * and `inflated` answer what the creators of claims ask. Does not create claims:
 * `#features/data-volume` does.
 */
export { localProvisioner } from './capabilities.ts'
export type { UploadAddress } from './config-reconciler.ts'
export { createStorageProfileControllers, type StorageProfileControllerOptions } from './controller.ts'
export { defaultStorageClass } from './default-storage-class.ts'
export { configName, importSettingsOf, type ImportSettings } from './import-settings.ts'
export { cloneStrategyOf, warnOfStorageProfile } from './profile-status.ts'
export { inflated, overheadOf } from './overhead.ts'
