import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { InexactInteger, markedJson, parseExactJson, parseMarkedJson } from './long-integers.ts'
import { parseJson } from './strict-json.ts'

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })

suite('long integers in JSON', () => {
  test('of built-in kinds are refused when a double cannot represent them, and never changed', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }), (integer) => {
        const text = `{"spec":{"list":[${integer}]}}`
        try {
          const { spec } = parseJson(text).value as { spec: { list: number[] } }
          assert.equal(BigInt(spec.list[0] ?? 0), integer)
        } catch (error) {
          assert.ok(error instanceof InexactInteger)
          assert.notEqual(BigInt(Number(integer)), integer)
        }
      }),
    )
  })

  test('of 64 bits survive parsing and encoding', () => {
    fc.assert(
      fc.property(fc.array(int64), fc.integer(), (integers, small) => {
        const text = `{"small":${small},"list":[${integers.join(',')}]}`
        const { value } = parseJson(text, 'keep')
        assert.equal(JSON.stringify(value), text)
        assert.deepEqual(parseExactJson(text), value)
        assert.deepEqual(parseMarkedJson(markedJson(value as object)), value)
        const { list } = value as { list: unknown[] }
        for (const item of list) assert.equal(typeof item, Number.isSafeInteger(Number(item)) ? 'number' : 'bigint')
      }),
    )
  })

  test('beyond 64 bits, fractions and exponents are doubles, and digits in strings are text', () => {
    for (const text of ['9223372036854775808', '-9223372036854775809', '0.12345678901234567', '1e30', '1e18', `1${'0'.repeat(300)}`])
      assert.deepEqual(parseJson(`[${text}]`, 'keep').value, [Number(text)], text)
    assert.deepEqual(parseJson('["9007199254740993"]', 'keep').value, ['9007199254740993'])
  })

  test('keep duplicates and __proto__ as other documents do', () => {
    const { value, duplicates } = parseJson('{"a":{"__proto__":9007199254740993,"b":1,"b":2}}', 'keep')
    assert.equal(JSON.stringify(value), '{"a":{"__proto__":9007199254740993,"b":2}}')
    assert.deepEqual(duplicates, ['a.b'])
  })

  test('mark only the texts that hold them', () => {
    assert.equal(markedJson({ a: 2 ** 53 - 1 }), '{"a":9007199254740991}')
    assert.equal(markedJson({ a: 2n ** 53n }), '{ "a":9007199254740992}')
  })

  test('that are exact, strings with digits, and fractions are accepted in built-in kinds', () => {
    for (const text of ['9007199254740992', '1000000000000000000', '"9007199254740993"', '0.12345678901234567', '1e30'])
      assert.doesNotThrow(() => parseJson(`[${text}]`), text)
  })

  test('are named in the error, at any length', () => {
    assert.throws(() => parseJson(`[9007199254740993]`), /number 9007199254740993 cannot be kept exactly/)
    assert.throws(() => parseJson(`[1${'0'.repeat(400)}]`), InexactInteger)
  })
})
