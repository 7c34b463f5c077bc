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

test('fillNullItems() puts zero values where lists and maps have null, and nowhere else', () => {
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
test('fillNullItems() gives the very same value when there is nothing to do', () => {
  const value = deepFreeze({ things: [{ names: ['a'] }], data: { l: 'v' } })
  assert.equal(fillNullItems(value, schema), value)
})
