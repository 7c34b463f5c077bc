import type { EventSource } from '#api/core/v1/event.ts'
import type { ObjectReference } from '#api/core/v1/references.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Int32, MicroTime, Time } from '#api/scalars.ts'

/**
 * Report of an occurrence that concerns an object, with the reason. Newer representation of the
 * Event of the core group: both are the same object.
 */
export interface Event extends ApiObject {
  /** Time of the first occurrence, with microsecond precision. */
  eventTime?: MicroTime | null
  /** Series that the event is part of. */
  series?: EventSeries
  /** Name of the controller that reports the event: `steadyvm.io/virt-controller`. */
  reportingController?: string
  /** Name of the controller instance that reports the event. */
  reportingInstance?: string
  /** Action that was taken regarding the object. */
  action?: string
  /** Reason of the event, as one CamelCase word. */
  reason?: string
  /** Object that the event is about. */
  regarding?: ObjectReference
  /** Second object that is involved. */
  related?: ObjectReference
  /** Description of the event. */
  note?: string
  /** Type of the event: Normal or Warning. */
  type?: string
  /** Component that reports the event, as in the core group. */
  deprecatedSource?: EventSource
  /** Time of the first occurrence, as in the core group. */
  deprecatedFirstTimestamp?: Time | null
  /** Time of the last occurrence, as in the core group. */
  deprecatedLastTimestamp?: Time | null
  /** Number of occurrences, as in the core group. */
  deprecatedCount?: Int32
}

/** Series of equal events. */
export interface EventSeries {
  /** Number of events of the series. */
  count: Int32
  /** Time of the last event of the series. */
  lastObservedTime: MicroTime
}
