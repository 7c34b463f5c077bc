import type { CoreEvent } from '#api/core/v1/event.ts'
import type { Event } from '#api/events/v1/event.ts'
import { events as newerEvents } from '#api/events/v1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { apiVersionOf } from '#apimachinery/meta/resource-type.ts'

const newer = apiVersionOf(newerEvents)

/** Converts an event between the core group and `events.k8s.io`, which name fields differently. */
export function translateEvent(object: KubeObject, apiVersion: string): KubeObject {
  return apiVersion === newer ? toNewer(object as CoreEvent) : toCore(object as Event)
}

function toNewer(event: CoreEvent): KubeObject {
  const { involvedObject, message, source, firstTimestamp, lastTimestamp, count, reportingComponent, ...same } = event
  return withoutUndefined({
    ...same,
    apiVersion: newer,
    regarding: involvedObject,
    note: message,
    deprecatedSource: source,
    deprecatedFirstTimestamp: firstTimestamp,
    deprecatedLastTimestamp: lastTimestamp,
    deprecatedCount: count,
    reportingController: reportingComponent,
  })
}

function toCore(event: Event): KubeObject {
  const {
    regarding,
    note,
    deprecatedSource,
    deprecatedFirstTimestamp,
    deprecatedLastTimestamp,
    deprecatedCount,
    reportingController,
    ...same
  } = event
  return withoutUndefined({
    ...same,
    apiVersion: 'v1',
    involvedObject: regarding ?? {},
    message: note,
    source: deprecatedSource,
    firstTimestamp: deprecatedFirstTimestamp,
    lastTimestamp: deprecatedLastTimestamp,
    count: deprecatedCount,
    reportingComponent: reportingController,
  })
}

function withoutUndefined(object: object): KubeObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined))
}
