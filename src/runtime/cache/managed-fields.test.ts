import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { withoutUpdateEntries } from './managed-fields.ts'

suite('withoutUpdateEntries()', () => {
  const update = { manager: 'virt-controller', operation: 'Update', fieldsV1: { 'f:status': {} } }
  const apply = { manager: 'git', operation: 'Apply', fieldsV1: { 'f:spec': {} } }
  for (const { reason, metadata, want } of [
    { reason: 'leaves an object without entries alone', metadata: { name: 'a' }, want: { name: 'a' } },
    { reason: 'drops entries of updates', metadata: { name: 'a', managedFields: [update] }, want: { name: 'a' } },
    {
      reason: 'keeps entries of server-side apply',
      metadata: { name: 'a', managedFields: [update, apply] },
      want: { name: 'a', managedFields: [apply] },
    },
  ]) {
    test(reason, () => {
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: 'b' } }
      const before = structuredClone(object)
      assert.deepEqual(withoutUpdateEntries(object), { ...object, metadata: want })
      assert.deepEqual(object, before)
    })
  }

  test('leaves an object without metadata alone', () => {
    assert.deepEqual(withoutUpdateEntries({ apiVersion: 'v1', kind: 'ConfigMap' }), { apiVersion: 'v1', kind: 'ConfigMap' })
  })
})
