import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Int32, MicroTime, Time } from '#api/scalars.ts'
import type { ObjectReference } from './references.ts'

/**
 * Tells people what happened to an object, and why.
 * @kind Event
 */
export interface CoreEvent extends ApiObject {
  /** The object that the event is about. */
  involvedObject: ObjectReference
  /** Why, in one word. */
  reason?: string
  /** Description of the event. */
  message?: string
  /** Component that reports it. */
  source?: EventSource
  /** When it was first seen. */
  firstTimestamp?: Time | null
  /** When it was last seen. */
  lastTimestamp?: Time | null
  /** How often it was seen. */
  count?: Int32
  /** Normal or Warning. */
  type?: string
  /** When it was first observed, in microseconds. */
  eventTime?: MicroTime | null
  /** The series that the event is part of. */
  series?: EventSeries
  /** Action taken about the object. */
  action?: string
  /** A second object that plays a part. */
  related?: ObjectReference
  /** Controller that reports: `steadyvm.io/virt-controller`. */
  reportingComponent?: string
  /** The instance of the controller that reports. */
  reportingInstance?: string
}

/** Component that reports an event. */
export interface EventSource {
  /** Name of the component. */
  component?: string
  /** Node it runs on. */
  host?: string
}

/** A series of equal events. */
export interface EventSeries {
  /** How many there were. */
  count?: Int32
  /** When the last one was seen. */
  lastObservedTime?: MicroTime
}
