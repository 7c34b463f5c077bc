import type { CoreEvent } from '#api/core/v1/event.ts'
import { ageOf, columnsOf } from '#apiserver/registry/columns.ts'
import type { TableColumn } from '#apiserver/registry/resource-definition.ts'

function firstSeen(event: CoreEvent): string | undefined {
  return event.firstTimestamp ?? event.eventTime ?? undefined
}

function lastSeen(event: CoreEvent): string | undefined {
  return event.series?.lastObservedTime ?? event.lastTimestamp ?? firstSeen(event)
}

function target({ involvedObject }: CoreEvent): string {
  const kind = (involvedObject?.kind ?? '').toLowerCase()
  return involvedObject?.name === undefined || involvedObject.name === '' ? kind : `${kind}/${involvedObject.name}`
}

function source({ source: from, reportingComponent, reportingInstance }: CoreEvent): string {
  const component = from?.component ?? reportingComponent ?? ''
  const instance = from?.host ?? reportingInstance ?? ''
  return instance === '' ? component : `${component}, ${instance}`
}

const column = columnsOf<CoreEvent>()
const wide = { priority: 1 }

/** Columns of `kubectl get events`. */
export const eventColumns: readonly TableColumn[] = [
  column('Last Seen', (event, nowMs) => ageOf(lastSeen(event), nowMs)),
  column('Type', ({ type }) => type ?? ''),
  column('Reason', ({ reason }) => reason ?? ''),
  column('Object', target),
  column('Subobject', ({ involvedObject }) => involvedObject?.fieldPath ?? '', wide),
  column('Source', source, wide),
  column('Message', ({ message }) => (message ?? '').trim()),
  column('First Seen', (event, nowMs) => ageOf(firstSeen(event), nowMs), wide),
  column('Count', ({ series, count }) => series?.count ?? (count === undefined || count === 0 ? 1 : count), { ...wide, type: 'integer' }),
  column('Name', ({ metadata }) => metadata?.name ?? '', { ...wide, format: 'name' }),
]

function involved(field: keyof CoreEvent['involvedObject']): (object: object) => string {
  return (object) => (object as CoreEvent).involvedObject?.[field] ?? ''
}

/** Fields of field selectors, which `kubectl describe` uses. */
export const eventFields: ReadonlyMap<string, (object: object) => string> = new Map([
  ['involvedObject.kind', involved('kind')],
  ['involvedObject.namespace', involved('namespace')],
  ['involvedObject.name', involved('name')],
  ['involvedObject.uid', involved('uid')],
  ['involvedObject.apiVersion', involved('apiVersion')],
  ['involvedObject.resourceVersion', involved('resourceVersion')],
  ['involvedObject.fieldPath', involved('fieldPath')],
  ['reason', (object) => (object as CoreEvent).reason ?? ''],
  ['reportingComponent', (object) => (object as CoreEvent).reportingComponent ?? ''],
  ['source', (object) => (object as CoreEvent).source?.component ?? (object as CoreEvent).reportingComponent ?? ''],
  ['type', (object) => (object as CoreEvent).type ?? ''],
])
