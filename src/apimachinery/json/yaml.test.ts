import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Arbitrary, assert as check, jsonValue, property } from 'fast-check'
import { parse, stringify } from 'yaml'
import { toYaml } from './yaml.ts'

/** A value below so many keys. */
function deep(levels: number, value: unknown): unknown {
  return levels === 0 ? value : { a: deep(levels - 1, value) }
}

/** A value as it is after it has been JSON: the zero has no sign. */
const storedValue: Arbitrary<unknown> = jsonValue({ stringUnit: 'binary' }).map((value) => JSON.parse(JSON.stringify(value)) as unknown)

suite('toYaml', () => {
  test('is parsed to the same value, at any depth', () => {
    check(
      property(storedValue, (value) => {
        for (const levels of [0, 98, 99, 100, 101]) assert.deepEqual(parse(toYaml(deep(levels, value))), deep(levels, value))
      }),
    )
  })

  test('has the same value in YAML 1.1, where yes is a boolean and dates are unquoted', () => {
    const told = { safeToRemove: 'yes', no: 'off', oldest: '2026-01-01T00:00:00Z', bases: ['1_000', '190:20:30', '0o14', '014', '=', '<<'] }
    assert.deepEqual(parse(toYaml(told), { version: '1.1' }), told)
    check(property(storedValue, (value) => assert.deepEqual(parse(toYaml({ value }), { version: '1.1' }), { value })))
  })

  test('writes the block style of other YAML libraries', () => {
    const object = { kind: 'List', items: [{ metadata: { name: 'a' } }, { metadata: {} }], text: 'two\nlines' }
    assert.equal(toYaml(object), stringify(object))
  })

  test('writes the deepest object that the API server accepts', () => {
    const text = toYaml(deep(1_002, ['end\u2028']))
    assert.equal(text.split('\n').length, 100 + 1)
    assert.ok(text.includes('{"a":["end\\u2028"]}'), text.slice(-100))
  })
})
