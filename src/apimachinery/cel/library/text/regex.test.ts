import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { compileRegex } from './regex.ts'

suite('compileRegex()', () => {
  test('caches compiled patterns', () => assert.equal(compileRegex('^a+$'), compileRegex('^a+$')))
  test('does not cache long patterns', () => {
    const long = 'a'.repeat(5000)
    assert.notEqual(compileRegex(long), compileRegex(long))
  })
})
