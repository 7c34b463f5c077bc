import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { checkStructural } from './check.ts'
import { schemas } from './random.fixture.ts'
import type { StructuralSchema } from './schema.ts'

const cases: readonly { schema: StructuralSchema; want: readonly string[]; reason: string }[] = [
  {
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: { a: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] } },
        },
      },
    },
    want: [],
    reason: 'structural',
  },
  { schema: {}, want: ['type: Required value: must not be empty at the root'], reason: 'no type at the root' },
  {
    schema: { type: 'object', properties: { spec: {} } },
    want: ['properties[spec].type: Required value: must not be empty for specified object fields'],
    reason: 'no type in a field',
  },
  {
    schema: { type: 'object', properties: { l: { type: 'array', items: {} } } },
    want: ['properties[l].items.type: Required value: must not be empty for specified array items'],
    reason: 'no type in items',
  },
  {
    schema: { type: 'object', properties: { l: { type: 'array' } } },
    want: ['properties[l].items: Required value: must be specified'],
    reason: 'no items',
  },
  {
    schema: { type: 'object', properties: { f: { type: 'string' } }, oneOf: [{ properties: { f: { type: 'string' } } }] },
    want: ['oneOf[0].properties[f].type: Forbidden: must be empty to be structural'],
    reason: 'structure in an alternative',
  },
  {
    schema: { type: 'object', anyOf: [{ properties: { f: { minLength: 1 } } }] },
    want: ['anyOf[0].properties[f]: Required value: because it is defined in anyOf[0].properties[f]'],
    reason: 'a field that only an alternative knows',
  },
  {
    schema: { type: 'object', additionalProperties: false },
    want: ['additionalProperties: Forbidden: must not be false'],
    reason: 'closed objects',
  },
  {
    schema: { type: 'object', properties: { m: { type: 'object', additionalProperties: { type: 'string' }, properties: {} } } },
    want: ['properties[m].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive'],
    reason: 'fields and map at once',
  },
  {
    schema: { type: 'object', properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } } },
    want: [
      'properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
    ],
    reason: 'metadata',
  },
  {
    schema: { type: 'object', properties: { s: { type: 'string', default: 1 } } },
    want: ['properties[s].default: Invalid value: "integer": default in body must be of type string: "integer"'],
    reason: 'a default of the wrong type',
  },
]

suite('checkStructural()', () => {
  for (const c of cases) test(`checkStructural(): ${c.reason}`, () => assert.deepEqual(checkStructural(c.schema), c.want))
  const paths: readonly { schema: StructuralSchema; path: string }[] = [
    { schema: { type: 'object', properties: { p: { type: 'string', pattern: '(' } } }, path: 'properties[p].pattern' },
    {
      schema: { type: 'object', properties: { l: { type: 'array', uniqueItems: true, items: { type: 'string' } } } },
      path: 'properties[l].uniqueItems',
    },
    {
      schema: { type: 'object', properties: { l: { type: 'array', 'x-kubernetes-list-type': 'map', items: { type: 'object' } } } },
      path: 'properties[l].x-kubernetes-list-map-keys',
    },
    {
      schema: {
        type: 'object',
        properties: {
          l: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['n'],
            items: { type: 'object', properties: { n: { type: 'string' } } },
          },
        },
      },
      path: 'properties[l].items.properties[n].default',
    },
    { schema: { type: 'string' }, path: 'type' },
    { schema: { type: 'object', properties: { q: { type: 'string', 'x-kubernetes-int-or-string': true } } }, path: 'properties[q].type' },
  ]
  for (const c of paths)
    test(`checkStructural() names ${c.path}`, () =>
      assert.deepEqual(
        checkStructural(c.schema).map((line) => line.split(': ')[0]),
        [c.path],
      ))
  test('checkStructural() never throws', () => {
    fc.assert(fc.property(schemas, (schema) => assert.ok(Array.isArray(checkStructural(schema)))))
  })
})
