import type { EventSource } from '#api/core/v1/event.ts'
import type { ObjectReference } from '#api/core/v1/references.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Int32, MicroTime, Time } from '#api/scalars.ts'

/**
 * Tells people what happened to an object, and why. The newer view of the core group's Event: both
 * are one object.
 */
export interface Event extends ApiObject {
  /** When it was first observed, in microseconds. */
  eventTime?: MicroTime | null
  /** The series that the event is part of. */
  series?: EventSeries
  /** Controller that reports: `steadyvm.io/virt-controller`. */
  reportingController?: string
  /** The instance of the controller that reports. */
  reportingInstance?: string
  /** Action taken about the object. */
  action?: string
  /** Why, in one word. */
  reason?: string
  /** The object that the event is about. */
  regarding?: ObjectReference
  /** A second object that plays a part. */
  related?: ObjectReference
  /** Description of the event. */
  note?: string
  /** Normal or Warning. */
  type?: string
  /** Component that reports it, in the older form. */
  deprecatedSource?: EventSource
  /** When it was first seen, in the older form. */
  deprecatedFirstTimestamp?: Time | null
  /** When it was last seen, in the older form. */
  deprecatedLastTimestamp?: Time | null
  /** How often it was seen, in the older form. */
  deprecatedCount?: Int32
}

/** A series of equal events. */
export interface EventSeries {
  /** How many there were. */
  count: Int32
  /** When the last one was seen. */
  lastObservedTime: MicroTime
}
