import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { deepFreeze } from '#apimachinery/equality.ts'
import { prune } from './prune.ts'
import { schemas, values } from '../random.fixture.ts'
import type { StructuralSchema } from '../schema.ts'

const schema: StructuralSchema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        name: { type: 'string' },
        quantity: { 'x-kubernetes-int-or-string': true },
        list: { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } } },
        map: { type: 'object', additionalProperties: { type: 'object', properties: { a: { type: 'string' } } } },
        any: { type: 'object', additionalProperties: true },
        open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: { type: 'object', properties: {} } } },
        wholly: { 'x-kubernetes-preserve-unknown-fields': true },
        pod: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: { type: 'object', properties: {} } } },
      },
    },
  },
}

const cases: readonly { value: unknown; want?: unknown; unknown: readonly string[]; reason: string }[] = [
  { value: { apiVersion: 'v1', kind: 'X', metadata: { name: 'a' }, spec: {} }, unknown: [], reason: 'type and metadata stay' },
  {
    value: { other: 1, spec: { name: 'a', x: {} } },
    want: { spec: { name: 'a' } },
    unknown: ['other', 'spec.x'],
    reason: 'unknown fields are removed',
  },
  {
    value: { metadata: { name: 'a', color: 1, ownerReferences: [{ uid: 'u', x: 1 }] } },
    want: { metadata: { name: 'a', ownerReferences: [{ uid: 'u' }] } },
    unknown: ['metadata.color', 'metadata.ownerReferences[0].x'],
    reason: 'metadata is typed',
  },
  {
    value: { metadata: { labels: { a: 'b' }, managedFields: [{ fieldsV1: { 'f:spec': {} } }] } },
    unknown: [],
    reason: 'labels and managed fields are maps',
  },
  {
    value: { spec: { list: [{ a: '1' }, { a: '1', z: 1 }] } },
    want: { spec: { list: [{ a: '1' }, { a: '1' }] } },
    unknown: ['spec.list[1].z'],
    reason: 'lists',
  },
  {
    value: { spec: { map: { k: { a: '1', z: 1 } } } },
    want: { spec: { map: { k: { a: '1' } } } },
    unknown: ['spec.map.k.z'],
    reason: 'maps',
  },
  { value: { spec: { any: { k: { z: 1 } }, wholly: [{ z: 1 }] } }, unknown: [], reason: 'open maps and open fields' },
  {
    value: { spec: { open: { z: { y: 1 }, a: { z: 1 } } } },
    want: { spec: { open: { z: { y: 1 }, a: {} } } },
    unknown: ['spec.open.a.z'],
    reason: 'declared fields of open objects are still pruned',
  },
  {
    value: { spec: { pod: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', x: 1 }, spec: { x: 1 }, other: 1 } } },
    want: { spec: { pod: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: {} } } },
    unknown: ['spec.pod.metadata.x', 'spec.pod.spec.x', 'spec.pod.other'],
    reason: 'embedded resources',
  },
  { value: { spec: { name: { x: 1 }, quantity: { y: 1 } } }, unknown: [], reason: 'wrong types are kept for validation' },
  { value: { spec: { constructor: 1 } }, want: { spec: {} }, unknown: ['spec.constructor'], reason: 'inherited names are not declared' },
  { value: 'text', unknown: [], reason: 'no object at all' },
]

suite('prune()', () => {
  for (const c of cases) {
    test(`prune(): ${c.reason}`, () => {
      const pruned = prune(deepFreeze(c.value), schema)
      assert.deepEqual(pruned.unknown, c.unknown)
      if (c.unknown.length === 0) assert.equal(pruned.value, c.value)
      else assert.deepEqual(pruned.value, c.want)
    })
  }
  test('prune() is idempotent and returns the same value the second time', () => {
    fc.assert(
      fc.property(schemas, values, (anySchema, value) => {
        const once = prune(deepFreeze(value), anySchema)
        const twice = prune(once.value, anySchema)
        assert.deepEqual(twice.unknown, [])
        assert.equal(twice.value, once.value)
        assert.equal(once.unknown.length === 0, once.value === value)
      }),
    )
  })
})
