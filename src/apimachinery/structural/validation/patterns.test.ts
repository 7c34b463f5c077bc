import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compilePattern, patternSize } from './patterns.ts'

test('patternSize() multiplies the size of repeated parts', () => {
  const sizes: readonly [string, number][] = [
    ['', 0],
    ['abc', 3],
    ['a{1000}', 1000],
    ['(ab){10}', 20],
    ['((a{10}){10}){10}', 1000],
    ['[a-z0-9]{2,63}x', 64],
    ['\\d{3}-\\d{4}', 8],
    ['a{3,}', 3],
    ['([a-z]([-a-z0-9]*[a-z0-9])?){5}', 25],
  ]
  for (const [pattern, size] of sizes) assert.equal(patternSize(pattern), size, pattern)
})

test('patternSize() accepts any text', () => {
  fc.assert(fc.property(fc.string(), fc.constantFrom('', '(', ')', '{5}', '['), (text, more) => assert.ok(patternSize(text + more) >= 0)))
})

test('compilePattern() caches, and refuses patterns that require backtracking', () => {
  assert.equal(compilePattern('^a+$'), compilePattern('^a+$'))
  for (const pattern of ['(a)\\1', '(?=a)', '(']) assert.throws(() => compilePattern(pattern))
})
