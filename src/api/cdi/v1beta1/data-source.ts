import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { DataVolumeCondition } from './data-volume.ts'

/** A name for what DataVolumes are filled from, which stays when the content is renewed. */
export interface DataSource extends ApiObject {
  /** Source of the data. */
  spec: DataSourceSpec
  /** Observed state. */
  status?: DataSourceStatus
}

/** Source of the data of a DataSource. */
export interface DataSourceSpec {
  /** The content. */
  source: DataSourceSource
}

/**
 * The content of a DataSource.
 * @preserveUnknownFields
 */
export interface DataSourceSource {
  /** A claim. */
  pvc?: DataVolumeSourceObject
  /** A snapshot of a claim. */
  snapshot?: DataVolumeSourceObject
}

/** An object by name and namespace. */
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
  /** The content in the end. */
  source?: DataSourceSource
  /** The state, by aspect. */
  conditions?: DataVolumeCondition[]
}
