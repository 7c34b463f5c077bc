import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { compileRegex } from './regex.ts'

suite('compileRegex()', () => {
  test('keeps what it has compiled', () => assert.equal(compileRegex('^a+$'), compileRegex('^a+$')))
  test('keeps no pattern of any length', () => {
    const long = 'a'.repeat(5000)
    assert.notEqual(compileRegex(long), compileRegex(long))
  })
})
