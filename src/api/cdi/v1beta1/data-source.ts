import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { CdiCondition } from './cdi-condition.ts'
import type { DataVolumeSourceObject } from './data-volume-source.ts'

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
 * Object with the data of a DataSource. One field is set.
 * @preserveUnknownFields
 */
export interface DataSourceSource {
  /** PersistentVolumeClaim with the data. */
  pvc?: DataVolumeSourceObject
  /** VolumeSnapshot with the data. */
  snapshot?: DataVolumeSourceObject
  /** Another DataSource in the same namespace, which refers to no further one. */
  dataSource?: DataVolumeSourceObject
}

/**
 * Observed state of a DataSource.
 * @preserveUnknownFields
 */
export interface DataSourceStatus {
  /** Object that provides the data after all references are resolved. */
  source?: DataSourceSource
  /** Conditions of the DataSource: Ready. */
  conditions?: CdiCondition[]
}
