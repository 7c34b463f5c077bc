import type { CustomResourceColumnDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { compileJsonPath } from '#apimachinery/json/json-path.ts'
import { ageColumn, ageOf, type Cell, nameColumn } from '#apiserver/registry/columns.ts'
import type { TableColumn } from '#apiserver/registry/resource-definition.ts'

/**
 * Returns the columns of a custom resource: its name, then `additionalPrinterColumns`, or the age
 * without them.
 */
export function customColumns(columns: readonly CustomResourceColumnDefinition[] | undefined): readonly TableColumn[] {
  if (columns === undefined || columns === null || columns.length === 0) return [nameColumn, ageColumn]
  return [nameColumn, ...columns.map(customColumn)]
}

function customColumn({ name, type, format, description, priority, jsonPath }: CustomResourceColumnDefinition): TableColumn {
  const find = compileJsonPath(jsonPath)
  const show = cellOf(type)
  return {
    name,
    type: type as TableColumn['type'],
    ...(format === undefined ? {} : { format }),
    description: description ?? `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    priority: priority ?? 0,
    cell(object, nowMs) {
      const found = find(object)
      return found.length === 0 || found[0] === null || found[0] === undefined ? null : show(found, nowMs)
    },
  }
}

function cellOf(type: string): (found: readonly unknown[], nowMs: number) => Cell {
  switch (type) {
    case 'date':
      // The server computes the age, as kubectl prints cells unchanged.
      return ([value], nowMs) => ageOf(value, nowMs)
    case 'integer':
      return ([value]) => (typeof value === 'number' ? Math.trunc(value) : typeof value === 'bigint' ? value : null)
    case 'number':
      return ([value]) => (typeof value === 'number' || typeof value === 'bigint' ? value : null)
    case 'boolean':
      return ([value]) => (typeof value === 'boolean' ? value : null)
    default:
      return (found) => found.map(text).join(' ')
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
