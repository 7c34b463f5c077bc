import type { ResourceRequirements } from '#api/core/v1/container.ts'
import type { Percent } from '#api/scalars.ts'

/** Storage of guests and imports. */
export interface StorageConfig {
  /** Storage class for the persistent state of devices, such as a TPM. */
  vmStateStorageClass?: string
  /** Storage class for scratch space of imports. */
  scratchSpaceStorageClass?: string
  /** Sources of imports. */
  storageImport?: StorageImportConfig
  /** Share of a volume that its file system takes. */
  filesystemOverhead?: FilesystemOverhead
  /** Resources of the pods that import, upload and clone. */
  workloadResourceRequirements?: ResourceRequirements
  /** Persistent reservations of SCSI disks. */
  persistentReservationConfiguration?: PersistentReservationConfiguration
}

/** Sources of imports. */
export interface StorageImportConfig {
  /**
   * Registries whose certificates are not verified.
   * @listType set
   */
  insecureRegistries?: string[]
}

/** Share of a volume that its file system takes: a number from 0 to 1 with at most three digits. */
export interface FilesystemOverhead {
  /** Share in all storage classes. */
  global?: Percent
  /** Share by storage class. */
  storageClass?: Record<string, Percent>
}

/** Persistent reservations of SCSI disks. */
export interface PersistentReservationConfiguration {
  /** True if guests may reserve SCSI disks persistently; false when absent. */
  enabled?: boolean
}
