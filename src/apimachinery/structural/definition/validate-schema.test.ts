import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { schemas, values } from '../random.fixture.ts'
import type { StructuralSchema } from '../schema.ts'
import { decodeSchema } from './decode-schema.ts'
import { validateSchema } from './validate-schema.ts'

/** Errors of a field `x` with this schema, with the path shortened to `x`. */
function faultsOf(schema: object): string[] {
  const root = { type: 'object', properties: { x: schema } } as StructuralSchema
  return validateSchema(root, 's').map(({ field, message }) => `${field}: ${message}`.replaceAll('s.properties[x]', 'x'))
}

function rootFaultsOf(schema: object): string[] {
  return validateSchema(schema as StructuralSchema, 's').map(({ field, message }) => `${field}: ${message}`)
}

const text = { type: 'string' }
const list = (more: object, items: object = text): object => ({ type: 'array', items, ...more })
const keyed = (items: object, keys: string[] = ['k']): object =>
  list({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys }, { type: 'object', ...items })

const cases: readonly { readonly reason: string; readonly schema: object; readonly want: readonly string[] }[] = [
  {
    reason: 'an int-or-string that spells out its types',
    schema: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
    want: [],
  },
  {
    reason: 'an int-or-string that spells out its types below allOf',
    schema: { 'x-kubernetes-int-or-string': true, allOf: [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, { pattern: 'a' }] },
    want: [],
  },
  { reason: 'no type', schema: {}, want: ['x.type: Required value: must not be empty for specified object fields'] },
  {
    reason: 'no type in items',
    schema: list({}, {}),
    want: ['x.items.type: Required value: must not be empty for specified array items'],
  },
  { reason: 'no items', schema: { type: 'array' }, want: ['x.items: Required value: must be specified'] },
  {
    reason: 'structure in an alternative',
    schema: { ...text, anyOf: [{ type: 'string', title: 'a', nullable: true, 'x-kubernetes-int-or-string': true }] },
    want: [
      'x.anyOf[0].nullable: Forbidden: must be false to be structural',
      'x.anyOf[0].title: Forbidden: must be empty to be structural',
      'x.anyOf[0].type: Forbidden: must be empty to be structural',
      'x.anyOf[0].x-kubernetes-int-or-string: Forbidden: must be false to be structural',
    ],
  },
  {
    reason: 'fields and values of a map at once',
    schema: { type: 'object', properties: { a: text }, additionalProperties: text },
    want: ['x.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive'],
  },
  {
    reason: 'items that must differ',
    schema: list({ uniqueItems: true }),
    want: ['x.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic'],
  },
  {
    reason: 'a type that there is not',
    schema: { type: 'float' },
    want: ['x.type: Unsupported value: "float": supported values: "array", "boolean", "integer", "number", "object", "string"'],
  },
  { reason: 'a reference', schema: { ...text, $ref: '#/a' }, want: ['x.$ref: Forbidden: $ref is not supported'] },
  {
    reason: 'a flag that may only be true',
    schema: { ...text, 'x-kubernetes-preserve-unknown-fields': false },
    want: ['x.x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined'],
  },
  {
    reason: 'an embedded resource without fields',
    schema: { type: 'object', 'x-kubernetes-embedded-resource': true },
    want: [
      'x.properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
    ],
  },
  {
    reason: 'an embedded resource that is no object',
    schema: { ...text, 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    want: ['x.type: Invalid value: "string": must be object if x-kubernetes-embedded-resource is true'],
  },
  {
    reason: 'a map type on a list',
    schema: list({ 'x-kubernetes-map-type': 'atomic' }),
    want: ['x.type: Invalid value: "array": must be object if x-kubernetes-map-type is specified'],
  },
  {
    reason: 'a list type that there is not',
    schema: list({ 'x-kubernetes-list-type': 'bag' }),
    want: ['x.x-kubernetes-list-type: Unsupported value: "bag": supported values: "atomic", "set", "map"'],
  },
  {
    reason: 'keys without a list type',
    schema: list({ 'x-kubernetes-list-map-keys': ['k'] }),
    want: ['x.x-kubernetes-list-type: Required value: must be map if x-kubernetes-list-map-keys is non-empty'],
  },
  {
    reason: 'a keyed list without keys',
    schema: keyed({ properties: { k: text } }, []),
    want: ['x.x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map'],
  },
  {
    reason: 'a key that is not declared',
    schema: keyed({ properties: { a: text } }),
    want: ['x.x-kubernetes-list-map-keys: Invalid value: []interface {}{"k"}: entries must all be names of item properties'],
  },
  {
    reason: 'a key that may be missing and null',
    schema: keyed({ properties: { k: { type: 'string', nullable: true } } }),
    want: [
      'x.items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
      'x.items.properties[k].nullable: Forbidden: this property is in x-kubernetes-list-map-keys, so it cannot be nullable',
    ],
  },
  { reason: 'a key with a default', schema: keyed({ properties: { k: { type: 'string', default: 'a' } } }), want: [] },
  { reason: 'a required key', schema: keyed({ properties: { k: text }, required: ['k'] }), want: [] },
  {
    reason: 'a set of objects that merge',
    schema: list({ 'x-kubernetes-list-type': 'set' }, { type: 'object', properties: { a: text } }),
    want: ['x.items.x-kubernetes-map-type: Invalid value: "null": must be atomic as item of a list with x-kubernetes-list-type=set'],
  },
  {
    reason: 'a default with an unknown field',
    schema: { type: 'object', properties: { a: text }, default: { a: 'b', c: 1 } },
    want: ['x.default: Invalid value: map[string]interface {}{"a":"b", "c":1}: must not have unknown fields'],
  },
  {
    reason: 'a default of the wrong type',
    schema: { ...text, default: 1 },
    want: ['x.default: Invalid value: "integer":  in body must be of type string: "integer"'],
  },
  { reason: 'a default of null that is allowed', schema: { ...text, nullable: true, default: null }, want: [] },
]

suite('validateSchema()', () => {
  for (const { reason, schema, want } of cases) test(`judges ${reason}`, () => assert.deepEqual(faultsOf(schema), want))

  test('refuses invalid patterns, and patterns that require backtracking', () => {
    for (const pattern of ['(', '(a)\\1', '(?=a)', '(a{100}){11}']) {
      const [fault, ...others] = faultsOf({ ...text, pattern })
      assert.deepEqual(others, [])
      assert.match(fault ?? '', /^x\.pattern: Invalid value: .*: must be a valid regular expression, but isn't: /)
    }
  })

  test('refuses patterns whose total size is too large before it compiles one', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [`p${index}`, { type: 'string', pattern: `${index}a{1000}` }]),
    )
    const [fault, ...others] = rootFaultsOf({ type: 'object', properties })
    assert.deepEqual(others, [])
    assert.match(fault ?? '', /^s: Invalid value: "": the patterns of a schema may match at most 50000 characters together/)
  })

  test('validates the root', () => {
    assert.deepEqual(rootFaultsOf({ type: 'object', not: { properties: { a: { minLength: 1 } }, required: ['a'] } }), [
      's.properties[a]: Required value: because it is defined in s.not.properties[a]',
    ])
    assert.deepEqual(rootFaultsOf({}), ['s.type: Required value: must not be empty at the root'])
    assert.deepEqual(rootFaultsOf({ type: 'object', nullable: true }), ['s.nullable: Forbidden: nullable cannot be true at the root'])
    assert.deepEqual(rootFaultsOf({ type: 'array', items: text }), ['s.type: Invalid value: "array": must be object at the root'])
    assert.deepEqual(rootFaultsOf({ type: 'object', additionalProperties: text }), [
      's.additionalProperties: Forbidden: must not be used at the root',
    ])
    const metadata = { type: 'object', properties: { name: { type: 'string', maxLength: 10 }, generateName: text } }
    assert.deepEqual(rootFaultsOf({ type: 'object', properties: { metadata } }), [])
    assert.deepEqual(rootFaultsOf({ type: 'object', properties: { metadata: { ...metadata, required: ['name'] } } }), [
      's.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
    ])
    assert.deepEqual(rootFaultsOf({ type: 'object', properties: { kind: { type: 'integer' } } }), [
      's.properties[kind].type: Invalid value: "integer": must be string',
    ])
  })

  test('with a status subresource the root may not restrict status together with other fields', () => {
    const schema: StructuralSchema = { type: 'object', properties: {}, oneOf: [{ required: ['spec'] }] }
    assert.deepEqual(validateSchema(schema, 's'), [])
    const [fault] = validateSchema(schema, 's', { hasStatus: true })
    assert.match(fault?.message ?? '', /fields are allowed at the root of the schema if the status subresource is enabled$/)
  })

  test('never throws for any schema', () => {
    fc.assert(
      fc.property(fc.oneof(schemas, values), (sent) => {
        const { schema } = decodeSchema(sent, 's')
        assert.ok(Array.isArray(validateSchema(schema, 's', { hasStatus: true })))
      }),
    )
  })
})

suite('decodeSchema()', () => {
  test('drops null and unknown keywords, and keeps those that are refused later', () => {
    const sent = { type: 'object', title: null, 'x-own': 1, $ref: 'a', default: null, properties: { a: { type: 'string', items: null } } }
    assert.deepEqual(decodeSchema(sent, 's'), {
      schema: { type: 'object', $ref: 'a', default: null, properties: { a: { type: 'string' } } },
      faults: [],
    })
  })

  test('names keywords with a value of the wrong type', () => {
    const sent = { type: 1, properties: { a: 'b' }, required: ['a', 2], minimum: '1', maxLength: 1.5, allOf: {} }
    assert.deepEqual(
      decodeSchema(sent, 's').faults.map(({ field }) => field),
      ['s.type', 's.properties[a]', 's.required[1]', 's.minimum', 's.maxLength', 's.allOf'],
    )
  })
})
