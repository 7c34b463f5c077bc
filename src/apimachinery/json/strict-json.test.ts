import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { parseJson } from './strict-json.ts'

const duplicates: readonly { text: string; want: readonly string[]; reason: string }[] = [
  { text: '{"a":1,"b":2}', want: [], reason: 'none' },
  { text: '{"a":1,"a":2}', want: ['a'], reason: 'at the root' },
  { text: '{"a":1,"a":2,"a":3}', want: ['a'], reason: 'each path once' },
  { text: '{"spec":{"y":1,"x":2,"y":3}}', want: ['spec.y'], reason: 'nested' },
  { text: '{"spec":{"list":[{"z":1,"z":2},{"z":1}]}}', want: ['spec.list[0].z'], reason: 'in a list' },
  { text: '{"l":[[1,{"q":1,"q":1}]]}', want: ['l[0][1].q'], reason: 'in a list of lists' },
  { text: '{"a":{"x":1},"a":{"x":2}}', want: ['a'], reason: 'the same key in two values of a repeated key' },
  { text: '{"\\u0061":1,"a":2}', want: ['a'], reason: 'escapes do not hide it' },
  { text: '{"a":"{\\"b\\":1,\\"b\\":2}","c":"\\\\"}', want: [], reason: 'text that looks like JSON' },
  { text: '{"a":":","b":["\\"",":"]}', want: [], reason: 'colons and quotes in strings' },
  { text: '{"__proto__":1,"__proto__":2}', want: ['__proto__'], reason: 'a key like any other' },
]

suite('parseJson()', () => {
  for (const c of duplicates) {
    test(`parseJson() finds duplicates: ${c.reason}`, () => {
      const parsed = parseJson(c.text)
      assert.deepEqual(parsed.duplicates, c.want)
      assert.deepEqual(parsed.value, JSON.parse(c.text))
    })
  }
  for (const text of ['', '{', '{"a":}', '[1,]', '{"a":1}}', "{'a':1}", 'undefined', '\ufeff{}']) {
    test(`parseJson() refuses ${JSON.stringify(text)} with its position`, () => {
      assert.throws(
        () => parseJson(text),
        (error) => error instanceof SyntaxError && /position \d+/.test(error.message),
      )
    })
  }
  test('parseJson() treats __proto__ as data', () => {
    const { value } = parseJson('{"__proto__":{"polluted":true}}')
    assert.equal(Object.hasOwn(value as object, '__proto__'), true)
    assert.equal(Object.getPrototypeOf(value), Object.prototype)
    assert.equal(({} as Record<string, unknown>)['polluted'], undefined)
  })
  test('parseJson() accepts 1000 levels and refuses more', () => {
    const nested = (depth: number): string => '[{"a":'.repeat(depth / 2) + '1' + '}]'.repeat(depth / 2)
    assert.deepEqual(parseJson(nested(1000)).duplicates, [])
    assert.throws(() => parseJson(nested(1002)), SyntaxError)
    assert.throws(() => parseJson('['.repeat(1_000_000) + ']'.repeat(1_000_000)), SyntaxError)
    assert.throws(() => parseJson('['.repeat(1_000_000)), SyntaxError)
  })
  test('parseJson() equals JSON.parse on valid input, with no duplicates', () => {
    fc.assert(
      // Whole numbers that a double cannot hold are refused, not read.
      fc.property(
        fc.json({ maxDepth: 6 }).filter((text) => !/\d{16}/.test(text)),
        fc.constantFrom(undefined, 2),
        (text, indent) => {
          const formatted = JSON.stringify(JSON.parse(text), undefined, indent)
          const parsed = parseJson(formatted)
          assert.deepEqual(parsed.value, JSON.parse(formatted))
          assert.deepEqual(parsed.duplicates, [])
        },
      ),
    )
  })
  test('parseJson() finds every duplicate key', () => {
    const objects = fc.uniqueArray(fc.string({ maxLength: 3 }), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(objects, fc.nat(), (keys, pick) => {
        const twice = keys[pick % keys.length] ?? ''
        const text = `{${[...keys, twice].map((key) => `${JSON.stringify(key)}:0`).join(',')}}`
        assert.deepEqual(parseJson(text).duplicates, [twice])
      }),
    )
  })
})
