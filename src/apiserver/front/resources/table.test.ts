import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { TableColumn } from '#apiserver/registry/resource-definition.ts'
import { renderTable } from './table.ts'

const name: TableColumn = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'its name',
  priority: 0,
  cell: (object) => object.metadata?.name ?? null,
}
const age: TableColumn = { name: 'Age', type: 'string', description: 'its age', priority: 1, cell: (_object, nowMs) => `${nowMs / 1000}s` }
const object = { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a' }, spec: {} }
const options = { metadata: { resourceVersion: '7' }, include: 'Metadata', metaVersion: 'v1', nowMs: 3000, headings: true } as const

suite('renderTable()', () => {
  test('renders one row per object, with its metadata', () => {
    const table = renderTable([name, age], [object], options)
    assert.deepEqual(table.rows, [
      { cells: ['a', '3s'], object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name: 'a' } } },
    ])
    assert.deepEqual(table.columnDefinitions?.[0], { name: 'Name', type: 'string', format: 'name', description: 'its name', priority: 0 })
    assert.equal(table.metadata.resourceVersion, '7')
  })
  test('includes whole objects, or none', () => {
    assert.equal(renderTable([name], [object], { ...options, include: 'Object' }).rows[0]?.object, object)
    assert.equal(renderTable([name], [object], { ...options, include: 'None' }).rows[0]?.object, undefined)
  })
  test('omits column definitions after the first event of a watch', () => {
    assert.equal(renderTable([name], [object], { ...options, headings: false }).columnDefinitions, null)
  })
})
