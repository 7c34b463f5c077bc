import type { CoreEvent } from '#api/core/v1/event.ts'
import type { ConditionShape } from '#apimachinery/conditions.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'

/** Type of an occurrence: that of an event, or `Condition`. */
export const occurrenceTypes = ['Normal', 'Warning', 'Condition'] as const

/** An event, or the change of a condition. */
export interface Occurrence {
  /** RFC 3339. The last time, of an event that occurred more than once. */
  readonly time: string
  readonly firstTime: string
  readonly type: string
  /** Reason of an event; `Ready=False` of a condition. */
  readonly reason: string
  readonly message: string
  readonly object: { readonly kind: string; readonly namespace: string; readonly name: string }
  readonly count: number
  /** Component that has recorded the event. Empty for conditions. */
  readonly source: string
}

/** An object with conditions. */
export interface Conditioned extends KubeObject {
  readonly status?: { readonly conditions?: readonly StatedCondition[] | null }
}

interface StatedCondition extends ConditionShape {
  readonly reason?: string
  readonly message?: string
}

/** Returns what an event says. Pure. */
export function occurrenceOf(event: CoreEvent): Occurrence {
  const { involvedObject, metadata, reason = '', message = '', type = 'Normal', source, reportingComponent, series } = event
  const { firstTimestamp, lastTimestamp, eventTime } = event
  const created = metadata.creationTimestamp ?? ''
  return {
    time: lastTimestamp ?? series?.lastObservedTime ?? eventTime ?? firstTimestamp ?? created,
    firstTime: firstTimestamp ?? eventTime ?? created,
    type,
    reason,
    message: message.trim().replaceAll(/\s*\n\s*/g, ' '),
    object: { kind: involvedObject.kind ?? '', namespace: involvedObject.namespace ?? '', name: involvedObject.name ?? '' },
    count: Math.max(series?.count ?? 0, event.count ?? 0, 1),
    source: reportingComponent !== undefined && reportingComponent !== '' ? reportingComponent : (source?.component ?? ''),
  }
}

/** Returns the last change of each condition that says when it was. Pure. */
export function lastChangesOf(kind: string, object: Conditioned): Occurrence[] {
  return (object.status?.conditions ?? []).flatMap((condition) => {
    const time = condition.lastTransitionTime ?? ''
    return time === '' ? [] : [changeOf(kind, object, condition, time)]
  })
}

/** Returns the conditions whose status or reason an update has changed. Pure. */
export function changesBetween(kind: string, old: Conditioned, object: Conditioned, now: string): Occurrence[] {
  return (object.status?.conditions ?? []).flatMap((condition) => {
    const before = old.status?.conditions?.find(({ type }) => type === condition.type)
    if (before?.status === condition.status && before.reason === condition.reason) return []
    const isTimed = before?.status !== condition.status && (condition.lastTransitionTime ?? '') !== ''
    return [changeOf(kind, object, condition, isTimed ? (condition.lastTransitionTime ?? now) : now)]
  })
}

function changeOf(
  kind: string,
  { metadata }: Conditioned,
  { type, status, reason = '', message = '' }: StatedCondition,
  time: string,
): Occurrence {
  return {
    time,
    firstTime: time,
    type: 'Condition',
    reason: `${type}=${status}`,
    message: [reason, message].filter((part) => part !== '').join(': '),
    object: { kind, namespace: metadata?.namespace ?? '', name: metadata?.name ?? '' },
    count: 1,
    source: '',
  }
}
