import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { deepFreeze } from '#apimachinery/equality.ts'
import { applyDefaults } from './default.ts'
import { schemas, values } from '../random.fixture.ts'
import type { StructuralSchema } from '../schema.ts'

const schema: StructuralSchema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        mode: { type: 'string', default: 'auto' },
        maybe: { type: 'string', nullable: true, default: 'x' },
        nested: { type: 'object', default: {}, properties: { depth: { type: 'integer', default: 1 } } },
        absent: { type: 'object', properties: { depth: { type: 'integer', default: 1 } } },
        list: { type: 'array', items: { type: 'object', properties: { on: { type: 'boolean', default: false } } } },
        map: { type: 'object', additionalProperties: { type: 'object', properties: { on: { type: 'boolean', default: false } } } },
      },
    },
  },
}
const defaults = { mode: 'auto', maybe: 'x', nested: { depth: 1 } }

const cases: readonly { value: unknown; want: unknown; reason: string }[] = [
  { value: {}, want: {}, reason: 'never below an absent parent' },
  { value: { spec: {} }, want: { spec: defaults }, reason: 'missing fields, and defaults inside of defaults' },
  {
    value: { spec: { mode: null, maybe: null } },
    want: { spec: { ...defaults, maybe: null } },
    reason: 'null only where it is not allowed',
  },
  { value: { spec: { ...defaults, absent: {} } }, want: { spec: { ...defaults, absent: { depth: 1 } } }, reason: 'existing objects' },
  {
    value: { spec: { ...defaults, list: [{}, { on: true }, 3] } },
    want: { spec: { ...defaults, list: [{ on: false }, { on: true }, 3] } },
    reason: 'items',
  },
  { value: { spec: { ...defaults, map: { k: {} } } }, want: { spec: { ...defaults, map: { k: { on: false } } } }, reason: 'map values' },
  { value: { spec: [] }, want: { spec: [] }, reason: 'another type is unchanged' },
  { value: 7, want: 7, reason: 'so is a scalar' },
]

suite('applyDefaults()', () => {
  for (const c of cases) {
    test(`applyDefaults(): ${c.reason}`, () => assert.deepEqual(applyDefaults(deepFreeze(c.value), schema), c.want))
  }
  test('applyDefaults() gives every object its own copy of a default', () => {
    const first = applyDefaults({ spec: {} }, schema) as { spec: typeof defaults }
    const second = applyDefaults({ spec: {} }, schema) as { spec: typeof defaults }
    assert.notEqual(first.spec.nested, second.spec.nested)
    assert.notEqual(first.spec.nested, schema.properties?.['spec']?.properties?.['nested']?.default)
  })
  test('applyDefaults() is idempotent and returns the same value the second time', () => {
    fc.assert(
      fc.property(schemas, values, (anySchema, value) => {
        const once = applyDefaults(deepFreeze(value), anySchema)
        // A default of null for a non-nullable field never settles; such a schema is refused at
        // creation.
        fc.pre(!hasNullDefault(anySchema))
        assert.equal(applyDefaults(once, anySchema), once)
      }),
    )
  })

  test('replaces a null item or value that is not nullable by the default', () => {
    const item: StructuralSchema = { type: 'integer', default: 2 }
    const lists: StructuralSchema = {
      type: 'object',
      properties: {
        list: { type: 'array', items: item },
        open: { type: 'array', items: { ...item, nullable: true } },
        map: { type: 'object', additionalProperties: item },
      },
    }
    assert.deepEqual(applyDefaults({ list: [null, 1], open: [null], map: { a: null } }, lists), {
      list: [2, 1],
      open: [null],
      map: { a: 2 },
    })
  })
})

function hasNullDefault(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false
  return ('default' in node && node.default === null) || Object.values(node).some(hasNullDefault)
}
