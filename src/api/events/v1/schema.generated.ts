// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { EventSource, ObjectReference } from '#api/core/v1/schema.generated.ts'
import { ObjectMeta } from '#api/meta/v1/schema.generated.ts'

export const EventSeries: StructuralSchema = {
  type: 'object',
  description: 'A series of equal events.',
  properties: {
    count: {
      type: 'integer',
      format: 'int32',
      description: 'How many there were.',
    },
    lastObservedTime: {
      type: 'string',
      format: 'date-time',
      description: 'When the last one was seen.',
    },
  },
  required: ['count', 'lastObservedTime'],
}

export const Event: StructuralSchema = {
  type: 'object',
  description: 'Tells people what happened to an object, and why. The newer view of the core group\'s Event: both are one object.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in camel case.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and bookkeeping of the object.',
    },
    eventTime: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'When it was first observed, in microseconds.',
    },
    series: {
      ...EventSeries,
      description: 'The series that the event is part of.',
    },
    reportingController: {
      type: 'string',
      description: 'Controller that reports: `steadyvm.io/virt-controller`.',
    },
    reportingInstance: {
      type: 'string',
      description: 'The instance of the controller that reports.',
    },
    action: {
      type: 'string',
      description: 'Action taken about the object.',
    },
    reason: {
      type: 'string',
      description: 'Why, in one word.',
    },
    regarding: {
      ...ObjectReference,
      description: 'The object that the event is about.',
    },
    related: {
      ...ObjectReference,
      description: 'A second object that plays a part.',
    },
    note: {
      type: 'string',
      description: 'Description of the event.',
    },
    type: {
      type: 'string',
      description: 'Normal or Warning.',
    },
    deprecatedSource: {
      ...EventSource,
      description: 'Component that reports it, in the older form.',
    },
    deprecatedFirstTimestamp: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'When it was first seen, in the older form.',
    },
    deprecatedLastTimestamp: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'When it was last seen, in the older form.',
    },
    deprecatedCount: {
      type: 'integer',
      format: 'int32',
      description: 'How often it was seen, in the older form.',
    },
  },
}

/** Schemas by kind. */
export const schemas: Readonly<Record<string, StructuralSchema>> = {
  Event: Event,
}
