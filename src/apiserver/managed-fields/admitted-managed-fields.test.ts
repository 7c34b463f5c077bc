import assert from 'node:assert/strict'
import { test } from 'node:test'
import { admittedManagedFields } from './admitted-managed-fields.ts'
import { box } from './managed-fields.fixture.ts'

test('admission may change managedFields, but not to a malformed list', () => {
  const warnings: string[] = []
  const context = {
    user: { username: 'u', groups: [] },
    warn: (text: string) => void warnings.push(text),
    signal: new AbortController().signal,
    fieldManager: 'm',
  }
  const good = [{ manager: 'x', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} }]
  assert.deepEqual(admittedManagedFields(box({}), box({}, good), context), good)
  assert.deepEqual(admittedManagedFields(box({}, good), box({}, [{ operation: 'Patch' }]), context), good)
  assert.deepEqual(warnings, [
    '.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: operation must be `Apply` or `Update`',
  ])
})
