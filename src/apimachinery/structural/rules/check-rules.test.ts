import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { StructuralSchema, ValidationRule } from '../schema.ts'
import { checkRules } from './check-rules.ts'

const string: StructuralSchema = { type: 'string' }
const integer: StructuralSchema = { type: 'integer' }

function faults(spec: StructuralSchema): string[] {
  return checkRules({ type: 'object', properties: { spec } }, 'schema').map(({ field, message }) => `${field}: ${message}`)
}

function ruled(properties: Record<string, StructuralSchema>, ...rules: ValidationRule[]): StructuralSchema {
  return { type: 'object', properties, 'x-kubernetes-validations': rules }
}

const place = 'schema.properties[spec].x-kubernetes-validations[0]'
const shown = (rule: string, more = 'MessageExpression:""'): string =>
  `apiextensions.ValidationRule{Rule:${JSON.stringify(rule)}, Message:"", ${more}, Reason:(*apiextensions.FieldValueErrorReason)(nil), FieldPath:"", OptionalOldSelf:(*bool)(nil)}`

suite('the rules of a CRD', () => {
  test('are accepted when they are valid', () => {
    assert.deepEqual(
      faults(ruled({ min: integer, max: integer }, { rule: 'self.min <= self.max', messageExpression: '"no %d".format([self.min])' })),
      [],
    )
  })

  const wrong: readonly [string, ValidationRule, string][] = [
    [
      'does not parse',
      { rule: 'self.min <' },
      `${place}.rule: Invalid value: ${shown('self.min <')}: compilation failed: ERROR: <input>:1:11: Syntax error: unexpected input '<EOF>'\n | self.min <\n | ..........^`,
    ],
    [
      'uses an undeclared field',
      { rule: 'self.mun > 1' },
      `${place}.rule: Invalid value: ${shown('self.mun > 1')}: compilation failed: ERROR: <input>:1:5: undefined field 'mun'\n | self.mun > 1\n | ....^`,
    ],
    [
      'is not a condition',
      { rule: 'self.min' },
      `${place}.rule: Invalid value: ${shown('self.min')}: cel expression must evaluate to a bool`,
    ],
    [
      'has a message of another type',
      { rule: 'true', messageExpression: '1' },
      `${place}.messageExpression: Invalid value: ${shown('true', 'MessageExpression:"1"')}: messageExpression must evaluate to a string`,
    ],
    ['is empty', { rule: ' ' }, `${place}.rule: Required value: rule is not specified`],
    ['has an empty message', { rule: 'true', message: ' ' }, `${place}.message: Invalid value: " ": must be non-empty if specified`],
    [
      'has a message of two lines',
      { rule: 'true', message: 'a\nb' },
      `${place}.message: Invalid value: "a\\nb": must not contain line breaks`,
    ],
    [
      'has two lines and no message',
      { rule: 'true ||\n false' },
      `${place}.message: Required value: message must be specified if rule contains line breaks`,
    ],
    [
      'has an unknown reason',
      { rule: 'true', reason: 'No' },
      `${place}.reason: Unsupported value: "No": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"`,
    ],
    ['points nowhere', { rule: 'true', fieldPath: '.no' }, `${place}.fieldPath: Invalid value: ".no": must be a valid path`],
    [
      'has optionalOldSelf without oldSelf',
      { rule: 'true', optionalOldSelf: true },
      `${place}.optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule`,
    ],
  ]
  for (const [what, rule, fault] of wrong) {
    test(`are refused when a rule ${what}`, () => assert.deepEqual(faults(ruled({ min: integer }, rule)), [fault]))
  }

  test('may not use oldSelf where old values cannot be correlated', () => {
    const items = ruled({ name: string }, { rule: 'self.name == oldSelf.name' })
    const list: StructuralSchema = { type: 'array', maxItems: 5, items }
    assert.deepEqual(faults({ type: 'object', properties: { list } }), [
      'schema.properties[spec].properties[list].items.x-kubernetes-validations[0].rule: Invalid value: "self.name == oldSelf.name": oldSelf cannot be used on the uncorrelatable portion of the schema within schema.properties[spec].properties[list]',
    ])
    assert.deepEqual(
      faults({
        type: 'object',
        properties: {
          list: {
            ...list,
            items: { ...items, required: ['name'] },
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['name'],
          },
        },
      }),
      [],
    )
  })

  test('may not exceed the cost limit of one rule', () => {
    const list: StructuralSchema = { type: 'array', items: integer }
    const rule = 'self.list.all(x, self.list.exists(y, x == y))'
    assert.deepEqual(faults(ruled({ list }, { rule })), [
      `${place}.rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`,
      `${place}.rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema`,
      'schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)',
    ])
    assert.deepEqual(faults(ruled({ list: { ...list, maxItems: 100 } }, { rule })), [])
  })

  test('count once per possible value', () => {
    const item = ruled({ name: { type: 'string', maxLength: 100 } }, { rule: "self.name.matches('^[a-z]+$')" })
    assert.match(
      faults({ type: 'object', properties: { list: { type: 'array', items: item } } })[0] ?? '',
      /exceeds budget by factor of 8\.8x/,
    )
    assert.deepEqual(faults({ type: 'object', properties: { list: { type: 'array', maxItems: 64, items: item } } }), [])
  })
})
