import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Quantity } from '#api/scalars.ts'

/** Bounds and defaults for what single objects of a namespace may ask for. */
export interface LimitRange extends ApiObject {
  /** The limits. */
  spec?: LimitRangeSpec
}

/** The limits of a namespace. */
export interface LimitRangeSpec {
  /**
   * One entry for each kind of thing.
   * @listType atomic
   */
  limits: LimitRangeItem[]
}

/** The limits of one kind of thing. */
export interface LimitRangeItem {
  /** Container, Pod or PersistentVolumeClaim. */
  type: string
  /** Most that may be asked for. */
  max?: Record<string, Quantity>
  /** Least that must be asked for. */
  min?: Record<string, Quantity>
  /** Limits of containers that name none. */
  default?: Record<string, Quantity>
  /** Requests of containers that name none. */
  defaultRequest?: Record<string, Quantity>
  /** How many times its request a limit may be. */
  maxLimitRequestRatio?: Record<string, Quantity>
}
