import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { deepFreeze } from '#apimachinery/equality.ts'
import { schemas, values } from '../random.fixture.ts'
import type { StructuralSchema } from '../schema.ts'
import { validateStructural } from './validate.ts'

function lines(value: unknown, schema: StructuralSchema, options?: { old?: unknown; integerFormats?: boolean }): string[] {
  return validateStructural(value, schema, options).map((error) => `${error.field}: ${error.message}`)
}

const intOrString: StructuralSchema = { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] }
const cases: readonly { field: StructuralSchema; value: unknown; want: readonly string[]; reason: string }[] = [
  {
    field: { type: 'integer' },
    value: 'x',
    want: ['spec.f: Invalid value: "string": spec.f in body must be of type integer: "string"'],
    reason: 'a string for an integer',
  },
  {
    field: { type: 'integer' },
    value: 1.5,
    want: ['spec.f: Invalid value: "number": spec.f in body must be of type integer: "number"'],
    reason: 'a fraction for an integer',
  },
  { field: { type: 'number' }, value: 1, want: [], reason: 'an integer for a number' },
  {
    field: { type: 'string' },
    value: null,
    want: ['spec.f: Invalid value: "null": spec.f in body must be of type string: "null"'],
    reason: 'null',
  },
  { field: { type: 'string', nullable: true }, value: null, want: [], reason: 'null where it is allowed' },
  {
    field: { type: 'string' },
    value: {},
    want: ['spec.f: Invalid value: "object": spec.f in body must be of type string: "object"'],
    reason: 'an object for a string',
  },
  {
    field: { type: 'boolean' },
    value: [],
    want: ['spec.f: Invalid value: "array": spec.f in body must be of type boolean: "array"'],
    reason: 'a list for a flag',
  },
  {
    field: { type: 'integer', minimum: 0 },
    value: -1,
    want: ['spec.f: Invalid value: -1: spec.f in body should be greater than or equal to 0'],
    reason: 'too small',
  },
  {
    field: { type: 'integer', minimum: 0, exclusiveMinimum: true },
    value: 0,
    want: ['spec.f: Invalid value: 0: spec.f in body should be greater than 0'],
    reason: 'not more',
  },
  {
    field: { type: 'number', maximum: 2.5 },
    value: 3.25,
    want: ['spec.f: Invalid value: 3.25: spec.f in body should be less than or equal to 2.5'],
    reason: 'too large',
  },
  {
    field: { type: 'integer', maximum: 10, exclusiveMaximum: true },
    value: 10,
    want: ['spec.f: Invalid value: 10: spec.f in body should be less than 10'],
    reason: 'not less',
  },
  {
    field: { type: 'integer', multipleOf: 3 },
    value: 7,
    want: ['spec.f: Invalid value: 7: spec.f in body should be a multiple of 3'],
    reason: 'no multiple',
  },
  { field: { type: 'number', multipleOf: 0.1 }, value: 0.3, want: [], reason: 'a decimal multiple' },
  { field: { type: 'string', maxLength: 2 }, value: 'abc', want: ['spec.f: Too long: may not be more than 2 bytes'], reason: 'too long' },
  { field: { type: 'string', maxLength: 2 }, value: '😀😀', want: [], reason: 'characters, not code units' },
  {
    field: { type: 'string', minLength: 1 },
    value: '',
    want: ['spec.f: Invalid value: "": spec.f in body should be at least 1 chars long'],
    reason: 'too short',
  },
  {
    field: { type: 'string', pattern: '^a+$' },
    value: 'b"\n',
    want: [`spec.f: Invalid value: "b\\"\\n": spec.f in body should match '^a+$'`],
    reason: 'a pattern',
  },
  {
    field: { type: 'string', pattern: '^(a+)+$' },
    value: `${'a'.repeat(50_000)}!`,
    want: [`spec.f: Invalid value: "${'a'.repeat(50_000)}!": spec.f in body should match '^(a+)+$'`],
    reason: 'a pattern that backtracks exponentially',
  },
  {
    field: { type: 'string', enum: ['b', 'c'] },
    value: 'a',
    want: ['spec.f: Unsupported value: "a": supported values: "b", "c"'],
    reason: 'not listed',
  },
  {
    field: { type: 'integer', enum: [1, 2] },
    value: 3,
    want: ['spec.f: Unsupported value: 3: supported values: "1", "2"'],
    reason: 'a number not listed',
  },
  {
    field: { type: 'string', format: 'date-time' },
    value: 'soon',
    want: ['spec.f: Invalid value: "soon": spec.f in body must be of type date-time: "soon"'],
    reason: 'no time',
  },
  {
    field: { type: 'string', format: 'date-time' },
    value: '2026-02-29T00:00:00Z',
    want: ['spec.f: Invalid value: "2026-02-29T00:00:00Z": spec.f in body must be of type date-time: "2026-02-29T00:00:00Z"'],
    reason: 'an invalid day',
  },
  { field: { type: 'string', format: 'date-time' }, value: '2024-02-29T23:59:59.123+01:00', want: [], reason: 'a time' },
  { field: { type: 'string', format: 'unheard-of' }, value: 'x', want: [], reason: 'an unknown format' },
  { field: { type: 'integer', format: 'int32' }, value: 2 ** 31, want: [], reason: 'custom resources have no integer ranges' },
  { field: intOrString, value: '10Mi', want: [], reason: 'int or string' },
  {
    field: { 'x-kubernetes-int-or-string': true },
    value: true,
    want: ['spec.f: Invalid value: "boolean": spec.f in body must be of type integer,string: "boolean"'],
    reason: 'neither int nor string',
  },
  {
    field: intOrString,
    value: true,
    want: [
      'spec.f: Invalid value: "boolean": spec.f in body must be of type integer,string: "boolean"',
      '<nil>: Invalid value: "": "spec.f" must validate at least one schema (anyOf)',
      'spec.f: Invalid value: "boolean": spec.f in body must be of type integer: "boolean"',
    ],
    reason: 'neither int nor string, spelt out',
  },
  {
    field: { type: 'array', items: { type: 'string' } },
    value: ['a', 1],
    want: ['spec.f[1]: Invalid value: "integer": spec.f[1] in body must be of type string: "integer"'],
    reason: 'an item',
  },
  {
    field: { type: 'array', items: { type: 'string' }, maxItems: 1 },
    value: ['a', 'b'],
    want: ['spec.f: Too many: 2: must have at most 1 item'],
    reason: 'too many items',
  },
  {
    field: { type: 'array', items: { type: 'string' }, minItems: 1 },
    value: [],
    want: ['spec.f: Invalid value: 0: spec.f in body should have at least 1 items'],
    reason: 'too few items',
  },
  {
    field: { type: 'object', additionalProperties: { type: 'string' } },
    value: { k: 1 },
    want: ['spec.f.k: Invalid value: "integer": spec.f.k in body must be of type string: "integer"'],
    reason: 'a map value',
  },
  { field: { type: 'object', required: ['a', 'b'] }, value: { a: 1 }, want: ['spec.f.b: Required value'], reason: 'a missing field' },
  {
    field: { type: 'object', required: ['toString'] },
    value: {},
    want: ['spec.f.toString: Required value'],
    reason: 'inherited names are missing',
  },
  {
    field: { type: 'object', maxProperties: 1 },
    value: { a: 1, b: 1 },
    want: ['spec.f: Too many: 2: must have at most 1 item'],
    reason: 'too many fields',
  },
  {
    field: { type: 'object', minProperties: 1 },
    value: {},
    want: ['spec.f: Invalid value: 0: spec.f in body should have at least 1 properties'],
    reason: 'too few fields',
  },
  {
    field: { type: 'object', oneOf: [{ required: ['a'] }, { required: ['b'] }] },
    value: {},
    want: [
      '<nil>: Invalid value: "": "spec.f" must validate one and only one schema (oneOf). Found none valid',
      'spec.f.a: Required value',
    ],
    reason: 'none of several',
  },
  {
    field: { type: 'object', oneOf: [{ required: ['a'] }, { required: ['b'] }] },
    value: { a: 1, b: 1 },
    want: ['<nil>: Invalid value: "": "spec.f" must validate one and only one schema (oneOf). Found 2 valid alternatives'],
    reason: 'two of several',
  },
  {
    field: { type: 'object', allOf: [{ required: ['a'] }] },
    value: {},
    want: ['spec.f.a: Required value', '<nil>: Invalid value: "": "spec.f" must validate all the schemas (allOf). None validated'],
    reason: 'not all',
  },
  {
    field: { type: 'object', not: { required: ['a'] } },
    value: { a: 1 },
    want: ['<nil>: Invalid value: "": "spec.f" must not validate the schema (not)'],
    reason: 'what must not be',
  },
  {
    field: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
    value: ['a', 'b', 'a', 'a'],
    want: ['spec.f[2]: Duplicate value: "a"'],
    reason: 'a set, each duplicate once',
  },
  {
    field: { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
    value: [{ name: 'a' }, { name: 'a', x: 1 }],
    want: ['spec.f[1]: Duplicate value: map[string]interface {}{"name":"a"}'],
    reason: 'a keyed list',
  },
  {
    field: { type: 'object', additionalProperties: { type: 'array', items: { type: 'integer' }, 'x-kubernetes-list-type': 'set' } },
    value: { k: [1, 1] },
    want: ['spec.f[k][1]: Duplicate value: 1'],
    reason: 'a set in a map',
  },
  {
    field: { type: 'object', 'x-kubernetes-embedded-resource': true },
    value: { apiVersion: 'v1' },
    want: ['spec.f.kind: Required value'],
    reason: 'an embedded resource without kind',
  },
  {
    field: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    value: { anything: [1, {}] },
    want: [],
    reason: 'open fields',
  },
]

function around(field: StructuralSchema): StructuralSchema {
  return { type: 'object', properties: { spec: { type: 'object', properties: { f: field } } } }
}

suite('validateStructural()', () => {
  for (const c of cases) {
    test(`validateStructural(): ${c.reason}`, () => assert.deepEqual(lines(deepFreeze({ spec: { f: c.value } }), around(c.field)), c.want))
  }
  test('validateStructural() returns a reason for each error', () => {
    const schema = around({ type: 'object', required: ['a'], properties: { b: { type: 'string' }, c: { type: 'string', enum: ['x'] } } })
    const reasons = validateStructural({ spec: { f: { b: 1, c: 'y' } } }, schema).map((error) => error.reason)
    assert.deepEqual(reasons, ['FieldValueTypeInvalid', 'FieldValueNotSupported', 'FieldValueRequired'])
  })
  test('validateStructural() checks the types in metadata', () => {
    assert.deepEqual(lines({ metadata: { name: 1, labels: { a: 2 }, creationTimestamp: null } }, { type: 'object' }), [
      'metadata.name: Invalid value: "integer": metadata.name in body must be of type string: "integer"',
      'metadata.labels.a: Invalid value: "integer": metadata.labels.a in body must be of type string: "integer"',
    ])
  })
  test('validateStructural() checks integer ranges of built-in kinds', () => {
    const schema = around({ type: 'integer', format: 'int32' })
    assert.equal(validateStructural({ spec: { f: 2 ** 31 } }, schema, { integerFormats: true }).length, 1)
    assert.equal(validateStructural({ spec: { f: 2 ** 31 - 1 } }, schema, { integerFormats: true }).length, 0)
  })
  test('validateStructural() never throws, and never changes anything', () => {
    fc.assert(
      fc.property(schemas, values, values, (schema, value, old) => {
        deepFreeze(value)
        const errors = validateStructural(value, schema)
        assert.ok(validateStructural(value, schema, { old }).length <= errors.length)
        if (value !== undefined) assert.deepEqual(validateStructural(value, schema, { old: value }), [])
      }),
    )
  })
})

suite('validateStructural() with an old object', () => {
  const schema: StructuralSchema = {
    type: 'object',
    properties: {
      a: { type: 'integer', minimum: 5 },
      b: { type: 'string' },
      keyed: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        items: { type: 'object', properties: { name: { type: 'string' }, n: { type: 'integer', minimum: 5 } } },
      },
      atomic: { type: 'array', items: { type: 'integer', minimum: 5 } },
      whole: { type: 'integer', allOf: [{ minimum: 5 }] },
      parts: {
        type: 'object',
        properties: { n: { type: 'integer' }, b: { type: 'string' } },
        allOf: [{ properties: { n: { minimum: 5 } } }],
        not: { properties: { b: { minLength: 3 } }, required: ['b'] },
      },
    },
  }
  const ratchets: readonly { old: unknown; value: unknown; want: number; reason: string }[] = [
    { old: { a: 1, b: 'x' }, value: { a: 1, b: 'y' }, want: 0, reason: 'what was wrong before may stay' },
    { old: { a: 1 }, value: { a: 2 }, want: 1, reason: 'but not change to something else that is wrong' },
    { old: {}, value: { a: 1 }, want: 1, reason: 'nor be added' },
    { old: { whole: 1, b: 'x' }, value: { whole: 1, b: 'y' }, want: 0, reason: 'errors of allOf schemas for an unchanged field' },
    {
      old: { parts: { n: 1, b: 'x' } },
      value: { parts: { n: 1, b: 'y' } },
      want: 2,
      reason: 'but not their errors for a part of a changed field',
    },
    { old: { parts: { n: 9, b: 'x' } }, value: { parts: { n: 8, b: 'x' } }, want: 0, reason: 'nor is a not forgiven into failing' },
    {
      old: { keyed: [{ name: 'x', n: 1 }] },
      value: {
        keyed: [
          { name: 'y', n: 9 },
          { name: 'x', n: 1 },
        ],
      },
      want: 0,
      reason: 'items are followed by their keys',
    },
    { old: { keyed: [{ name: 'x', n: 1 }] }, value: { keyed: [{ name: 'y', n: 1 }] }, want: 1, reason: 'an item with another key is new' },
    { old: { atomic: [1] }, value: { atomic: [1] }, want: 0, reason: 'a list that stays as it is' },
    { old: { atomic: [1] }, value: { atomic: [1, 9] }, want: 1, reason: 'items of other lists cannot be followed' },
  ]
  for (const c of ratchets) {
    test(`validateStructural() with an old object: ${c.reason}`, () => {
      assert.equal(validateStructural(c.value, schema, { old: c.old }).length, c.want)
    })
  }
})
