import type { KubeObject, ListMeta } from '#apimachinery/meta/object-meta.ts'
import type { TableColumn } from '#apiserver/registry/resource-definition.ts'

/** Part of each object in a row. Default Metadata. */
export type RowObject = 'None' | 'Metadata' | 'Object'

/** A row. */
export interface TableRow {
  readonly cells: readonly (string | number | bigint | boolean | null)[]
  readonly object?: KubeObject
}

/** `meta.k8s.io` Table, which `kubectl get` prints. */
export interface Table {
  readonly kind: 'Table'
  readonly apiVersion: string
  readonly metadata: ListMeta
  /** Null in a watch after its first event. */
  readonly columnDefinitions: readonly object[] | null
  readonly rows: readonly TableRow[]
}

/** Converts to PartialObjectMetadata. */
export function partialMetadata(object: KubeObject, metaVersion: string): KubeObject {
  return { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${metaVersion}`, metadata: object.metadata ?? {} }
}

function rowObject(object: KubeObject, include: RowObject, metaVersion: string): { object?: KubeObject } {
  switch (include) {
    case 'None':
      return {}
    case 'Object':
      return { object }
    case 'Metadata':
      return { object: partialMetadata(object, metaVersion) }
  }
}

/**
 * Renders objects as rows. `include` selects the part of each object, `headings` the column
 * definitions.
 */
export function renderTable(
  columns: readonly TableColumn[],
  objects: readonly KubeObject[],
  options: {
    readonly metadata: ListMeta
    readonly include: RowObject
    readonly metaVersion: string
    readonly nowMs: number
    readonly headings: boolean
  },
): Table {
  const { metadata, include, metaVersion, nowMs } = options
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${metaVersion}`,
    metadata,
    columnDefinitions: options.headings
      ? columns.map(({ name, type, format, description, priority }) => ({ name, type, format: format ?? '', description, priority }))
      : null,
    rows: objects.map((object) => ({
      cells: columns.map((column) => column.cell(object, nowMs)),
      ...rowObject(object, include, metaVersion),
    })),
  }
}
