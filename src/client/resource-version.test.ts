import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { compareResourceVersions } from './resource-version.ts'

test('compareResourceVersions() orders decimal numbers of any length', () => {
  const version = fc.bigInt({ min: 1n, max: 2n ** 80n })
  fc.assert(
    fc.property(version, version, (a, b) => {
      const order = compareResourceVersions(String(a), String(b)) ?? Number.NaN
      assert.equal(Math.sign(order), a < b ? -1 : a > b ? 1 : 0)
    }),
  )
})

test('compareResourceVersions() does not compare values that are not decimal numbers', () => {
  for (const odd of [undefined, '', '0', '01', 'a', '1a', '-1']) {
    assert.equal(compareResourceVersions(odd, '5'), undefined)
    assert.equal(compareResourceVersions('5', odd), undefined)
  }
})
