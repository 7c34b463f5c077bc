// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { EventSource, ObjectReference } from '#api/core/v1/schema.generated.ts'
import { ObjectMeta } from '#api/meta/v1/schema.generated.ts'

export const EventSeries: StructuralSchema = {
  type: 'object',
  description: 'Series of equal events.',
  properties: {
    count: {
      type: 'integer',
      format: 'int32',
      description: 'Number of events of the series.',
    },
    lastObservedTime: {
      type: 'string',
      format: 'date-time',
      description: 'Time of the last event of the series.',
    },
  },
  required: ['count', 'lastObservedTime'],
}

export const Event: StructuralSchema = {
  type: 'object',
  description: 'Report of an occurrence that concerns an object, with the reason. Newer representation of the Event of the core group: both are the same object.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in CamelCase.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and other metadata of the object.',
    },
    eventTime: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'Time of the first occurrence, with microsecond precision.',
    },
    series: {
      ...EventSeries,
      description: 'Series that the event is part of.',
    },
    reportingController: {
      type: 'string',
      description: 'Name of the controller that reports the event: `steadyvm.io/virt-controller`.',
    },
    reportingInstance: {
      type: 'string',
      description: 'Name of the controller instance that reports the event.',
    },
    action: {
      type: 'string',
      description: 'Action that was taken regarding the object.',
    },
    reason: {
      type: 'string',
      description: 'Reason of the event, as one CamelCase word.',
    },
    regarding: {
      ...ObjectReference,
      description: 'Object that the event is about.',
    },
    related: {
      ...ObjectReference,
      description: 'Second object that is involved.',
    },
    note: {
      type: 'string',
      description: 'Description of the event.',
    },
    type: {
      type: 'string',
      description: 'Type of the event: Normal or Warning.',
    },
    deprecatedSource: {
      ...EventSource,
      description: 'Component that reports the event, as in the core group.',
    },
    deprecatedFirstTimestamp: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'Time of the first occurrence, as in the core group.',
    },
    deprecatedLastTimestamp: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'Time of the last occurrence, as in the core group.',
    },
    deprecatedCount: {
      type: 'integer',
      format: 'int32',
      description: 'Number of occurrences, as in the core group.',
    },
  },
}

/** Schemas by kind. */
export const schemas: Readonly<Record<string, StructuralSchema>> = {
  Event: Event,
}
