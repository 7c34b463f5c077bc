import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { parseQuantity, quantityToBytes } from '#apimachinery/quantity.ts'
import { overcommittedRequest } from './memory.ts'

const rows = [
  ['128Mi', 15, 114085072],
  ['128Mi', 80, 26843544],
  ['512Mi', 15, 456340288],
  ['1Gi', 1, 1063004416],
  ['1Gi', 15, 912680576],
  ['1Gi', 33, 719406976],
  ['1Gi', 80, 214748352],
  ['4Gi', 15, 3650722304],
  ['10Gi', 15, 9126805504],
  ['10Gi', 80, 2147483520],
  ['128M', 15, 108800000],
  ['128M', 33, 85759992],
  ['3Gi', 100, 0],
  ['3Gi', 50, 1610612736],
] as const

suite('overcommittedRequest()', () => {
  for (const [guest, percent, bytes] of rows) {
    test(`of ${guest} at ${percent} % is ${bytes} bytes`, () => {
      assert.equal(quantityToBytes(parseQuantity(overcommittedRequest(guest, percent))), BigInt(bytes))
    })
  }

  test('prints in the format of the guest memory', () => {
    assert.equal(overcommittedRequest('128M', 15), '108800k')
    assert.equal(overcommittedRequest('2Gi', 15), '1825361152')
    assert.equal(overcommittedRequest('2Gi', 50), '1Gi')
    assert.equal(overcommittedRequest('2Gi', 100), '0')
  })
})
