import { humanDuration } from '#apimachinery/age.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { TableColumn } from './resource-definition.ts'

/** Age of an RFC 3339 time as kubectl shows it; `<unknown>` without one. */
export function ageOf(time: unknown, nowMs: number): string {
  if (typeof time !== 'string' || time === '') return '<unknown>'
  return humanDuration(nowMs - Date.parse(time))
}

/** A column that shows text or a number. Priority 0: always shown. */
export function column(
  name: string,
  cell: TableColumn['cell'],
  options: { type?: TableColumn['type']; priority?: number; description?: string; format?: string } = {},
): TableColumn {
  const { type = 'string', priority = 0, description = name, format } = options
  return { name, type, description, priority, cell, ...(format === undefined ? {} : { format }) }
}

/** What a cell may hold. */
export type Cell = ReturnType<TableColumn['cell']>

/** Makes columns of one kind: their cells see the object with its type. */
export function columnsOf<T extends KubeObject>(): (
  name: string,
  cell: (object: T, nowMs: number) => Cell,
  options?: Parameters<typeof column>[2],
) => TableColumn {
  return (name, cell, options) => column(name, (object, nowMs) => cell(object as T, nowMs), options)
}

/** Text or, for nothing, `<none>`, as kubectl shows what is not set. */
export function orNone(text: string | undefined): string {
  return text === undefined || text === '' ? '<none>' : text
}

/** Keys and values as kubectl shows labels and selectors. */
export function labelText(labels: Readonly<Record<string, string>> | null | undefined): string {
  return orNone(
    Object.entries(labels ?? {})
      .map(([key, value]) => `${key}=${value}`)
      .toSorted()
      .join(','),
  )
}

/** First column of every table. */
export const nameColumn: TableColumn = column('Name', (object) => object.metadata?.name ?? '', {
  format: 'name',
  description: 'Name must be unique within a namespace.',
})

/** Time since creation: last column of most tables. */
export const ageColumn: TableColumn = column('Age', (object, nowMs) => ageOf(object.metadata?.creationTimestamp, nowMs), {
  description: 'Time since the object was created.',
})

/** The creation time itself, for kinds where kubectl shows it instead of an age. */
export const createdAtColumn: TableColumn = column('Created At', (object: KubeObject) => object.metadata?.creationTimestamp ?? '', {
  type: 'date',
  description: 'Time at which the object was created.',
})
