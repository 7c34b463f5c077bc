import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isBeingDeleted } from './deletion.ts'

test('isBeingDeleted() returns false for an absent and a null timestamp', () => {
  assert.equal(isBeingDeleted({}), false)
  assert.equal(isBeingDeleted({ metadata: {} }), false)
  assert.equal(isBeingDeleted({ metadata: { deletionTimestamp: null } }), false)
  assert.equal(isBeingDeleted({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }), true)
})
