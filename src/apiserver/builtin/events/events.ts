import type { Event } from '#api/events/v1/event.ts'
import { events } from '#api/events/v1/resources.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { columnsOf } from '#apiserver/registry/columns.ts'
import { defineResource } from '#apiserver/registry/define-resource.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import { schemaOf } from '../builtin-schemas.ts'
import { eventColumns } from './event-columns.ts'
import { translateEvent } from './event-forms.ts'
import { oneOf, requiredField } from '../checks/field-checks.ts'

const column = columnsOf<Event>()

/**
 * Validates events of `events.k8s.io`; those of old clients in the core group have fewer required
 * fields.
 */
function validateEvent(event: Event, old: Event | undefined): readonly FieldError[] {
  if (old !== undefined) return []
  const required = ['reportingController', 'reportingInstance', 'action', 'reason'] as const
  return [
    ...(event.eventTime === undefined || event.eventTime === null ? [requiredField('eventTime')] : []),
    ...required.flatMap((field) => ((event[field] ?? '') === '' ? [requiredField(field)] : [])),
    ...oneOf('type', event.type ?? '', ['Normal', 'Warning']),
  ]
}

/** Resources of `events.k8s.io/v1`, a view of the core group's events. */
export function eventsDefinitions(): ResourceDefinition[] {
  const regarding =
    (field: 'kind' | 'namespace' | 'name' | 'uid'): ((object: object) => string) =>
    (object) =>
      (object as Event).regarding?.[field] ?? ''
  return [
    defineResource({
      ...events,
      shortNames: ['ev'],
      schema: schemaOf(events),
      storageKey: '/events',
      storageApiVersion: 'v1',
      translate: translateEvent,
      columns: eventColumns.map((shown) => ({
        ...shown,
        cell: column(shown.name, (event, nowMs) => shown.cell(translateEvent(event, 'v1'), nowMs)).cell,
      })),
      selectableFields: new Map([
        ['regarding.kind', regarding('kind')],
        ['regarding.namespace', regarding('namespace')],
        ['regarding.name', regarding('name')],
        ['regarding.uid', regarding('uid')],
        ['reason', (object) => (object as Event).reason ?? ''],
        ['reportingController', (object) => (object as Event).reportingController ?? ''],
        ['type', (object) => (object as Event).type ?? ''],
      ]),
      strategy: { validate: (object, old) => validateEvent(object as Event, old as Event | undefined) },
    }),
  ]
}
