import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { InexactInteger } from './exact-integers.ts'
import { parseJson } from './strict-json.ts'

suite('whole numbers in JSON', () => {
  test('that a double cannot represent are refused and never changed', () => {
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

  test('that are exact, strings with digits, and fractions are accepted', () => {
    for (const text of ['9007199254740992', '1000000000000000000', '"9007199254740993"', '0.12345678901234567', '1e30'])
      assert.doesNotThrow(() => parseJson(`[${text}]`), text)
  })

  test('are named in the error, at any length', () => {
    assert.throws(() => parseJson(`[9007199254740993]`), /number 9007199254740993 cannot be kept exactly/)
    assert.throws(() => parseJson(`[1${'0'.repeat(400)}]`), InexactInteger)
  })
})
