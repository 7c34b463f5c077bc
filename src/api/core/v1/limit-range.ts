import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Quantity } from '#api/scalars.ts'

/** Limits and defaults for the resources that single objects of a namespace may request. */
export interface LimitRange extends ApiObject {
  /** Limits of the namespace. */
  spec?: LimitRangeSpec
}

/** Limits of a namespace. */
export interface LimitRangeSpec {
  /**
   * Limits by type of object.
   * @listType atomic
   */
  limits: LimitRangeItem[]
}

/** Limits for one type of object. */
export interface LimitRangeItem {
  /** Type of the object: Container, Pod or PersistentVolumeClaim. */
  type: string
  /** Maximum amount of each resource. */
  max?: Record<string, Quantity>
  /** Minimum amount of each resource. */
  min?: Record<string, Quantity>
  /** Default limits of containers without limits. */
  default?: Record<string, Quantity>
  /** Default requests of containers without requests. */
  defaultRequest?: Record<string, Quantity>
  /** Maximum ratio of limit to request, by resource. */
  maxLimitRequestRatio?: Record<string, Quantity>
}
