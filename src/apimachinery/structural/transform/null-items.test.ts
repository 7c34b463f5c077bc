import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deepFreeze } from '#apimachinery/equality.ts'
import { fillNullItems } from './null-items.ts'
import type { StructuralSchema } from '../schema.ts'

const schema: StructuralSchema = {
  type: 'object',
  properties: {
    things: { type: 'array', items: { type: 'object', properties: { names: { type: 'array', items: { type: 'string' } } } } },
    data: { type: 'object', additionalProperties: { type: 'string' } },
    lists: { type: 'object', additionalProperties: { type: 'array', items: { type: 'integer' } } },
    text: { type: 'string' },
  },
}

test('fillNullItems() replaces only null items of lists and maps by zero values', () => {
  const value = deepFreeze({
    things: [null, { names: ['a', null] }],
    data: { k: null, l: 'v' },
    lists: { a: [null, 1], b: null },
    text: null,
  })
  assert.deepEqual(fillNullItems(value, schema), {
    things: [{}, { names: ['a', ''] }],
    data: { k: '', l: 'v' },
    lists: { a: [0, 1], b: null },
    text: null,
  })
})
test('fillNullItems() returns the same value when there is no null', () => {
  const value = deepFreeze({ things: [{ names: ['a'] }], data: { l: 'v' } })
  assert.equal(fillNullItems(value, schema), value)
})
