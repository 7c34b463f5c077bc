import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { deepEqual, deepFreeze } from '../equality.ts'
import { applyMergePatch, createMergePatch } from './merge-patch.ts'

/** The examples of RFC 7386, appendix A. */
const examples: readonly [unknown, unknown, unknown][] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
]

suite('applyMergePatch()', () => {
  for (const [target, patch, want] of examples) {
    test(`applyMergePatch() merges ${JSON.stringify(patch)} into ${JSON.stringify(target)}`, () => {
      assert.deepEqual(applyMergePatch(deepFreeze(target), deepFreeze(patch)), want)
    })
  }
  test('applyMergePatch() keeps __proto__ as data', () => {
    const result = applyMergePatch({}, JSON.parse('{"__proto__":{"x":1}}'))
    assert.equal(JSON.stringify(result), '{"__proto__":{"x":1}}')
  })
})

const withoutNull = fc.letrec((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    fc.integer({ min: 0, max: 3 }),
    fc.string({ maxLength: 2 }),
    fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), tie('node'), { noNullPrototype: true }),
  ),
})).node
const patches = fc.jsonValue({ maxDepth: 4 })

suite('merge patch algebra', () => {
  test('the patch between two values turns one into the other', () => {
    fc.assert(
      fc.property(withoutNull, withoutNull, (from, to) => {
        const patch = createMergePatch(deepFreeze(from), deepFreeze(to))
        assert.equal(patch === undefined, deepEqual(from, to))
        if (patch !== undefined) assert.ok(deepEqual(applyMergePatch(from, patch), to))
      }),
    )
  })
  test('applying a patch twice equals applying it once, and the second time returns the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), patches, (target, patch) => {
        const once = applyMergePatch(deepFreeze(target), deepFreeze(patch))
        assert.equal(applyMergePatch(once, patch), once)
      }),
    )
  })
})
