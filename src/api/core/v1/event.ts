import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Int32, MicroTime, Time } from '#api/scalars.ts'
import type { ObjectReference } from './references.ts'

/**
 * Report of an occurrence that concerns an object, with the reason.
 * @kind Event
 */
export interface CoreEvent extends ApiObject {
  /** Object that the event is about. */
  involvedObject: ObjectReference
  /** Reason of the event, as one CamelCase word. */
  reason?: string
  /** Description of the event. */
  message?: string
  /** Component that reports the event. */
  source?: EventSource
  /** Time of the first occurrence. */
  firstTimestamp?: Time | null
  /** Time of the last occurrence. */
  lastTimestamp?: Time | null
  /** Number of occurrences. */
  count?: Int32
  /** Type of the event: Normal or Warning. */
  type?: string
  /** Time of the first occurrence, with microsecond precision. */
  eventTime?: MicroTime | null
  /** Series that the event is part of. */
  series?: EventSeries
  /** Action that was taken regarding the object. */
  action?: string
  /** Second object that is involved. */
  related?: ObjectReference
  /** Name of the controller that reports the event: `steadyvm.io/virt-controller`. */
  reportingComponent?: string
  /** Name of the controller instance that reports the event. */
  reportingInstance?: string
}

/** Component that reports an event. */
export interface EventSource {
  /** Name of the component. */
  component?: string
  /** Name of the node that the component runs on. */
  host?: string
}

/** Series of equal events. */
export interface EventSeries {
  /** Number of events of the series. */
  count?: Int32
  /** Time of the last event of the series. */
  lastObservedTime?: MicroTime
}
