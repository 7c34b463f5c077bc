import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { duplicateValue, formatNumber, goSyntax, invalidValue, quote } from './field-messages.ts'

const quoted: readonly [string, string][] = [
  ['', '""'],
  ['a"b\\c', String.raw`"a\"b\\c"`],
  ['\n\t\r\u0007\u0000\u007f', String.raw`"\n\t\r\a\x00\x7f"`],
  ['é 😀', '"é 😀"'],
  ['\u200b\u2028', String.raw`"\u200b\u2028"`],
]

suite('field messages', () => {
  for (const [text, want] of quoted) test(`quote() escapes ${JSON.stringify(text)} as Go does`, () => assert.equal(quote(text), want))
  test('formatNumber() prints whole numbers as integers and others as Go prints floats', () => {
    assert.deepEqual([0, -5, 4294967295, 1.5, 0.00001, 1234567.5, 1e300].map(formatNumber), [
      '0',
      '-5',
      '4294967295',
      '1.5',
      '1e-05',
      '1.2345675e+06',
      '1e+300',
    ])
  })
  test('goSyntax() prints objects and lists with sorted keys', () => {
    assert.equal(
      goSyntax({ b: [1, null, true], a: 'x' }),
      'map[string]interface {}{"a":"x", "b":[]interface {}{1, interface {}(nil), true}}',
    )
  })
  test('invalidValue() and duplicateValue() show the value', () => {
    assert.deepEqual(invalidValue('spec.x', null, 'why'), {
      reason: 'FieldValueInvalid',
      field: 'spec.x',
      message: 'Invalid value: "null": why',
    })
    assert.deepEqual(duplicateValue('spec.x', 'a'), { reason: 'FieldValueDuplicate', field: 'spec.x', message: 'Duplicate value: "a"' })
  })
})
