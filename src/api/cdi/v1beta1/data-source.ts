import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { DataVolumeCondition } from './data-volume.ts'

/** Stable name for a source of DataVolumes. The name stays when the content is replaced. */
export interface DataSource extends ApiObject {
  /** Source of the data. */
  spec: DataSourceSpec
  /** Observed state. */
  status?: DataSourceStatus
}

/** Source of the data of a DataSource. */
export interface DataSourceSpec {
  /** Object with the data. */
  source: DataSourceSource
}

/**
 * Object with the data of a DataSource.
 * @preserveUnknownFields
 */
export interface DataSourceSource {
  /** PersistentVolumeClaim with the data. */
  pvc?: DataVolumeSourceObject
  /** VolumeSnapshot with the data. */
  snapshot?: DataVolumeSourceObject
}

/** Reference to an object by name and namespace. */
export interface DataVolumeSourceObject {
  /** Name of the object. */
  name: string
  /** Namespace of the object. */
  namespace: string
}

/**
 * Observed state of a DataSource.
 * @preserveUnknownFields
 */
export interface DataSourceStatus {
  /** Object that provides the data after all references are resolved. */
  source?: DataSourceSource
  /** Conditions of the DataSource. */
  conditions?: DataVolumeCondition[]
}
