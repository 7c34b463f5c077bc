import { formatAge } from '../render/age.ts'
import { table } from '../render/terminal.ts'
import type { Occurrence } from './occurrence.ts'

/** How to print. */
export interface EventsView {
  readonly withNamespace: boolean
  readonly isWide: boolean
}

/** Renders what has occurred, in kubectl's columns. Pure. */
export function renderHistory(all: readonly Occurrence[], view: EventsView, nowMs: number): string {
  const head = cells(view, { when: 'LAST SEEN', type: 'TYPE', reason: 'REASON', object: 'OBJECT', message: 'MESSAGE' }, headings)
  return table([head, ...all.map((one) => cells(view, { ...textOf(one), when: lastSeen(one, nowMs) }, one))])
}

/** Widths of the columns of lines that are printed one at a time. */
const widths = { when: 20, type: 9, reason: 24, object: 36 } as const

/**
 * Renders a line of what occurs now, with its time: an age would be wrong by the time it is read.
 * Pure.
 */
export function renderLine(one: Occurrence, view: EventsView): string {
  const { when, type, reason, object, message } = textOf(one)
  const padded = {
    when: when.padEnd(widths.when),
    type: type.padEnd(widths.type),
    reason: reason.padEnd(widths.reason),
    object: object.padEnd(widths.object),
    message,
  }
  const namespace = one.object.namespace.padEnd(15)
  return `${cells(view, padded, { ...one, object: { ...one.object, namespace } })
    .join('   ')
    .trimEnd()}\n`
}

interface Columns {
  readonly when: string
  readonly type: string
  readonly reason: string
  readonly object: string
  readonly message: string
}

const headings = { object: { namespace: 'NAMESPACE' }, count: 'COUNT', source: 'SOURCE' } as const

interface Further {
  readonly object: { readonly namespace: string }
  readonly count: number | string
  readonly source: string
}

function cells({ withNamespace, isWide }: EventsView, { when, type, reason, object, message }: Columns, further: Further): string[] {
  return [
    ...(withNamespace ? [further.object.namespace] : []),
    when,
    type,
    reason,
    object,
    ...(isWide ? [String(further.count), further.source === '' ? '<none>' : further.source] : []),
    message,
  ]
}

function textOf({ time, type, reason, object: { kind, name }, message }: Occurrence): Columns {
  // Events of some components have microseconds.
  return { when: time.replace(/\.\d+Z$/, 'Z'), type, reason, object: `${kind}/${name}`, message }
}

/** `3s`, or `3s (x5 over 2m)`, as kubectl prints it. */
function lastSeen({ time, firstTime, count }: Occurrence, nowMs: number): string {
  return count > 1 ? `${formatAge(time, nowMs)} (x${count} over ${formatAge(firstTime, nowMs)})` : formatAge(time, nowMs)
}
