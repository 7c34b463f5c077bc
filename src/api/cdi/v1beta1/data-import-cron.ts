import type { ObjectMeta } from '#apimachinery/meta/object-meta.ts'
import type { DataVolumeSpec } from './data-volume-spec.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Int32, RawObject, Time } from '#api/scalars.ts'
import type { CdiCondition } from './cdi-condition.ts'
import type { DataVolumeSourceObject } from './data-volume-source.ts'

/** Imports an image again whenever it changes, and keeps a DataSource up to date. */
export interface DataImportCron extends ApiObject {
  /** Image and schedule. */
  spec: DataImportCronSpec
  /** Observed state. */
  status?: DataImportCronStatus
}

/** Image and schedule of a DataImportCron. */
export interface DataImportCronSpec {
  /** Template of the DataVolumes. */
  template: DataImportCronTemplate
  /** Schedule in cron format, in which the image is looked up. Empty: on request only. */
  schedule: string
  /** Deletion of old imports: `Outdated` or `Never`; `Outdated` when absent. */
  garbageCollect?: string
  /** Number of imports to keep; 3 when absent. */
  importsToKeep?: Int32
  /** Name of the DataSource in the same namespace that points to the last import. Required. */
  managedDataSource?: string
  /** Imports and DataSource after the deletion: `All` or `None` stay; `All` when absent. */
  retentionPolicy?: string
  /**
   * Name of the service account that DataVolumes are created for.
   * @minLength 1
   */
  serviceAccountName?: string
}

/** Template of the DataVolumes of a DataImportCron. */
export interface DataImportCronTemplate {
  /** API version of the DataVolume: `cdi.kubevirt.io/v1beta1`. */
  apiVersion?: string
  /** Kind of the object: `DataVolume`. */
  kind?: string
  /**
   * Labels and annotations of the DataVolume.
   * @nullable
   * @preserveUnknownFields
   */
  metadata?: ObjectMeta
  /** Storage and source of the volume. */
  spec: DataVolumeSpec
  /** Unused; kept for compatibility. */
  status?: RawObject
}

/**
 * Observed state of a DataImportCron.
 * @preserveUnknownFields
 */
export interface DataImportCronStatus {
  /** Imports that are under way: one at most. */
  currentImports?: ImportStatus[]
  /** Claim of the last import. */
  lastImportedPVC?: DataVolumeSourceObject
  /** Time at which the image was last looked up. */
  lastExecutionTimestamp?: Time
  /** Time of the last import. */
  lastImportTimestamp?: Time
  /** Format in which imports are kept: `pvc` or `snapshot`. */
  sourceFormat?: string
  /** Conditions of the DataImportCron: Progressing and UpToDate. */
  conditions?: CdiCondition[]
}

/** Import that is under way. */
export interface ImportStatus {
  /** Name of the DataVolume. */
  DataVolumeName: string
  /** Digest of the image. */
  Digest: string
}
