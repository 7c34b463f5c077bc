import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { deepFreeze } from '#apimachinery/equality.ts'
import { dropNulls } from './nulls.ts'
import { schemas, values } from '../random.fixture.ts'
import type { StructuralSchema } from '../schema.ts'

const schema: StructuralSchema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        plain: { type: 'string' },
        maybe: { type: 'string', nullable: true },
        withDefault: { type: 'string', default: 'x' },
        list: { type: 'array', items: { type: 'object', properties: { plain: { type: 'string' } } } },
      },
    },
  },
}

const cases: readonly { value: unknown; want: unknown; reason: string }[] = [
  {
    value: { spec: { plain: null, maybe: null, withDefault: null } },
    want: { spec: { maybe: null, withDefault: null } },
    reason: 'only fields that are neither nullable nor defaulted are removed',
  },
  {
    value: { spec: { list: [{ plain: null }, null] } },
    want: { spec: { list: [{}, null] } },
    reason: 'items are kept, their fields removed',
  },
  { value: { metadata: { name: 'a', creationTimestamp: null } }, want: { metadata: { name: 'a' } }, reason: 'metadata' },
  { value: { spec: null }, want: {}, reason: 'whole branches' },
  { value: { spec: { unknown: null } }, want: { spec: { unknown: null } }, reason: 'unknown fields are none of its business' },
]

suite('dropNulls()', () => {
  for (const c of cases) test(`dropNulls(): ${c.reason}`, () => assert.deepEqual(dropNulls(deepFreeze(c.value), schema), c.want))
  test('dropNulls() is idempotent and returns the same value the second time', () => {
    fc.assert(
      fc.property(schemas, values, (anySchema, value) => {
        const once = dropNulls(deepFreeze(value), anySchema)
        assert.equal(dropNulls(once, anySchema), once)
      }),
    )
  })
})
