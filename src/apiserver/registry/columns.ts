import { humanDuration } from '#apimachinery/age.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { TableColumn } from './resource-definition.ts'

/** Formats the age of an RFC 3339 time; `<unknown>` without one. */
export function ageOf(time: unknown, nowMs: number): string {
  if (typeof time !== 'string' || time === '') return '<unknown>'
  return humanDuration(nowMs - Date.parse(time))
}

/** A text or number column. Priority 0: always shown. */
export function column(
  name: string,
  cell: TableColumn['cell'],
  options: { type?: TableColumn['type']; priority?: number; description?: string; format?: string } = {},
): TableColumn {
  const { type = 'string', priority = 0, description = name, format } = options
  return { name, type, description, priority, cell, ...(format === undefined ? {} : { format }) }
}

/** Value of a cell. */
export type Cell = ReturnType<TableColumn['cell']>

/** Creates typed columns of a kind. */
export function columnsOf<T extends KubeObject>(): (
  name: string,
  cell: (object: T, nowMs: number) => Cell,
  options?: Parameters<typeof column>[2],
) => TableColumn {
  return (name, cell, options) => column(name, (object, nowMs) => cell(object as T, nowMs), options)
}

/** Returns the text, or `<none>` when empty. */
export function orNone(text: string | undefined): string {
  return text === undefined || text === '' ? '<none>' : text
}

/** Formats labels and selectors. */
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

/** Age, the last column of most tables. */
export const ageColumn: TableColumn = column('Age', (object, nowMs) => ageOf(object.metadata?.creationTimestamp, nowMs), {
  description: 'Time since the object was created.',
})

/** Creation time, for kinds that show no age. */
export const createdAtColumn: TableColumn = column('Created At', (object: KubeObject) => object.metadata?.creationTimestamp ?? '', {
  type: 'date',
  description: 'Time at which the object was created.',
})
