import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  formatQuantity,
  isQuantity,
  parseQuantity,
  QuantityError,
  quantityFromBytes,
  quantityToBytes,
  quantityToMilli,
  quantityToNumber,
  subtractQuantities,
} from './quantity.ts'

const canonical: readonly { text: string; want: string; reason: string }[] = [
  { text: '1024Mi', want: '1Gi', reason: 'the largest exact suffix wins' },
  { text: '1.5Gi', want: '1536Mi', reason: 'no fractions' },
  { text: '0.5', want: '500m', reason: 'fractions become a smaller suffix' },
  { text: '1000m', want: '1', reason: 'and whole numbers a larger one' },
  { text: '0', want: '0', reason: 'zero has no suffix' },
  { text: '0Gi', want: '0', reason: 'whatever it had' },
  { text: '-0', want: '0', reason: 'and no sign' },
  { text: '1023', want: '1023', reason: 'plain numbers stay' },
  { text: '1000', want: '1k', reason: 'decimal thousands fold' },
  { text: '1024', want: '1024', reason: 'but not binary ones written in decimal' },
  { text: '1023Ki', want: '1023Ki', reason: 'no folding below 1024' },
  { text: '0.5Ki', want: '512', reason: 'binary numbers below 1024 are printed in decimal' },
  { text: '1.5Ki', want: '1536', reason: 'binary numbers are folded only when it is exact' },
  { text: '0.1Mi', want: '104857600m', reason: 'a binary number with a fraction is printed in decimal' },
  { text: '1e3', want: '1e3', reason: 'the exponent form is kept' },
  { text: '1E3', want: '1e3', reason: 'in lower case' },
  { text: '12e4', want: '120e3', reason: 'with an exponent that is a multiple of three' },
  { text: '1E', want: '1E', reason: 'E without digits is exa' },
  { text: '1Ei', want: '1Ei', reason: 'exbi' },
  { text: '1n', want: '1n', reason: 'the smallest unit' },
  { text: '0.1n', want: '1n', reason: 'less than that is rounded up' },
  { text: '-0.1n', want: '-1n', reason: 'away from zero' },
  { text: '+5', want: '5', reason: 'an explicit sign' },
  { text: '.5', want: '500m', reason: 'no digit before the point' },
  { text: '5.', want: '5', reason: 'no digit after the point' },
  { text: '-1.5Gi', want: '-1536Mi', reason: 'negative binary' },
  { text: '100E', want: '9223372036854775807', reason: 'capped at 64 bits' },
  { text: '1e999999999', want: '9223372036854775807', reason: 'a huge exponent is capped without being computed' },
  { text: '1e-999999999', want: '1e-9', reason: 'and a tiny one rounded up' },
]

suite('canonicalQuantity()', () => {
  for (const c of canonical) {
    test(`canonicalQuantity() turns ${c.text} into ${c.want}`, () => {
      assert.equal(canonicalQuantity(c.text), c.want, c.reason)
    })
  }
})

suite('parseQuantity()', () => {
  for (const text of [
    '',
    '.',
    'Gi',
    '1GiB',
    '1K',
    '1ki',
    '1 Gi',
    ' 1',
    '1e',
    '1eX',
    '1.2.3',
    '--1',
    '0x10',
    '1,5',
    'NaN',
    'Infinity',
    '1'.repeat(300),
  ]) {
    test(`parseQuantity() refuses ${JSON.stringify(text.slice(0, 12))}`, () => {
      assert.throws(() => parseQuantity(text), QuantityError)
      assert.equal(isQuantity(text), false)
    })
  }
  test('parseQuantity() accepts JSON numbers', () => {
    assert.equal(formatQuantity(parseQuantity(0.25)), '250m')
    assert.equal(formatQuantity(parseQuantity(3)), '3')
    assert.equal(formatQuantity(parseQuantity(1e21)), '9223372036854775807')
  })
})

const suffixes = ['', 'n', 'u', 'm', 'k', 'M', 'G', 'T', 'Ki', 'Mi', 'Gi', 'Ti', 'e3', 'e-2', 'E6']
const texts = fc
  .tuple(fc.integer({ min: -1_000_000, max: 1_000_000 }), fc.integer({ min: 0, max: 999 }), fc.constantFrom(...suffixes))
  .map(([whole, fraction, suffix]) => `${whole}.${fraction}${suffix}`)
const quantities = texts.map(parseQuantity)

suite('quantity properties', () => {
  test('formatQuantity() keeps the value and is stable', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const parsed = parseQuantity(text)
        const printed = formatQuantity(parsed)
        assert.equal(isQuantity(text), true)
        assert.equal(parseQuantity(printed).nanos, parsed.nanos)
        assert.equal(formatQuantity(parseQuantity(printed)), printed)
        assert.doesNotMatch(printed, /\./)
      }),
    )
  })
  test('compareQuantities() is a total order that agrees with subtraction', () => {
    fc.assert(
      fc.property(quantities, quantities, quantities, (a, b, c) => {
        assert.equal(compareQuantities(a, b), -compareQuantities(b, a) + 0)
        if (compareQuantities(a, b) <= 0 && compareQuantities(b, c) <= 0) assert.ok(compareQuantities(a, c) <= 0)
        const zero = parseQuantity('0')
        assert.equal(compareQuantities(subtractQuantities(a, b), zero), compareQuantities(a, b))
        assert.equal(compareQuantities(subtractQuantities(addQuantities(a, b), b), a), 0)
      }),
    )
  })
  test('quantityToBytes() is the inverse of quantityFromBytes()', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 62n }), (bytes) => {
        const quantity = quantityFromBytes(bytes)
        assert.equal(quantityToBytes(quantity), bytes)
        assert.equal(quantityToBytes(parseQuantity(formatQuantity(quantity))), bytes)
      }),
    )
  })
})

suite('conversions', () => {
  test('quantityToBytes() rounds up', () => assert.equal(quantityToBytes(parseQuantity('1500m')), 2n))
  test('quantityToBytes() rounds negative ones away from zero', () => assert.equal(quantityToBytes(parseQuantity('-1500m')), -2n))
  test('quantityToMilli() returns millicores', () => assert.equal(quantityToMilli(parseQuantity('0.2501')), 251n))
  test('quantityToNumber() returns fractions', () => assert.equal(quantityToNumber(parseQuantity('250m')), 0.25))
  test('quantityToNumber() returns exact integers', () => assert.equal(quantityToNumber(parseQuantity('8Gi')), 8 * 2 ** 30))
  test('addQuantities() uses the format of the first quantity that is not zero', () => {
    assert.equal(formatQuantity(addQuantities(parseQuantity('0'), parseQuantity('1Gi'))), '1Gi')
    assert.equal(formatQuantity(addQuantities(parseQuantity('1Gi'), parseQuantity('1Mi'))), '1025Mi')
  })
})
