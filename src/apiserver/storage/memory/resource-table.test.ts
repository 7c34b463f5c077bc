import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { PendingWrite } from './pending-write.ts'
import { objectKey, ResourceTable } from './resource-table.ts'
import { StoredEntry } from './stored-entry.ts'

function write(table: ResourceTable, type: 'ADDED' | 'DELETED', name: string, revision: number): PendingWrite {
  const entry = StoredEntry.fromObject({ metadata: { namespace: 'a', name } }, revision)
  const settle = { resolve: () => {}, reject: () => {} }
  const place = { table, key: objectKey('a', name), namespace: 'a', name }
  return { ...place, ...settle, type, revision, prior: 0, beforePrior: 0, priorBytes: 0, kid: revision, entry }
}

/** Creates many or few keys between two reads, and deletes some before any read. */
const step = fc.oneof(
  { weight: 60, arbitrary: fc.record({ kind: fc.constant('toggle' as const), number: fc.nat(400) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('look' as const), number: fc.constant(0) }) },
)

test('ResourceTable returns sorted keys at every read', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300, size: 'max' }), (steps) => {
      const table = new ResourceTable('/things', 1, true, assert.ifError)
      const model = new Set<string>()
      const check = (): void => assert.deepEqual(table.keys(), [...model].toSorted())
      steps.forEach(({ kind, number }, index) => {
        if (kind === 'look') return check()
        const name = `n${number}`
        const type = model.has(objectKey('a', name)) ? 'DELETED' : 'ADDED'
        table.apply(write(table, type, name, index + 1))
        if (type === 'ADDED') model.add(objectKey('a', name))
        else model.delete(objectKey('a', name))
      })
      check()
      const names = table.list('a').map((entry) => objectKey('a', entry.object.metadata?.name ?? ''))
      assert.deepEqual(names, table.keys())
    }),
  )
})
