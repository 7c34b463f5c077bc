import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { deepEqual, deepFreeze, semanticEqual } from './equality.ts'
import { cloneJson } from './json/json-clone.ts'

const cases: readonly { a: unknown; b: unknown; deep: boolean; semantic: boolean; reason: string }[] = [
  { a: { x: 1, y: 2 }, b: { y: 2, x: 1 }, deep: true, semantic: true, reason: 'the order of keys is free' },
  { a: [1, 2], b: [2, 1], deep: false, semantic: false, reason: 'that of items is not' },
  { a: { x: undefined }, b: {}, deep: true, semantic: true, reason: 'undefined is absent' },
  { a: { x: null }, b: {}, deep: false, semantic: true, reason: 'null is absent only to Kubernetes' },
  { a: null, b: undefined, deep: false, semantic: true, reason: 'also at the root' },
  { a: [], b: {}, deep: false, semantic: false, reason: 'a list is no object' },
  { a: {}, b: [], deep: false, semantic: false, reason: 'nor the other way round' },
  { a: '1', b: 1, deep: false, semantic: false, reason: 'no conversion' },
  { a: 0, b: -0, deep: true, semantic: true, reason: 'JSON has one zero' },
  { a: { x: { y: null } }, b: { x: {} }, deep: false, semantic: true, reason: 'nested' },
  { a: { a: 1 }, b: { b: 1 }, deep: false, semantic: false, reason: 'the same number of other keys' },
  { a: {}, b: { toString: undefined }, deep: true, semantic: true, reason: 'inherited names are not there' },
  { a: { toString: 1 }, b: {}, deep: false, semantic: false, reason: 'in either direction' },
]

suite('equality', () => {
  for (const c of cases) {
    test(`deepEqual() and semanticEqual(): ${c.reason}`, () => {
      assert.equal(deepEqual(c.a, c.b), c.deep)
      assert.equal(deepEqual(c.b, c.a), c.deep)
      assert.equal(semanticEqual(c.a, c.b), c.semantic)
      assert.equal(semanticEqual(c.b, c.a), c.semantic)
    })
  }
  test('deepEqual() agrees with the JSON text', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 3 }), (a, b) => {
        assert.equal(deepEqual(a, cloneJson(a)), true)
        if (JSON.stringify(a) === JSON.stringify(b)) assert.equal(deepEqual(a, b), true)
        assert.equal(deepEqual(a, b), deepEqual(b, a))
      }),
    )
  })
  test('deepFreeze() freezes recursively and returns its argument', () => {
    const value = { a: [{ b: 1 }] }
    assert.equal(deepFreeze(value), value)
    assert.throws(() => {
      value.a[0] = { b: 2 }
    }, TypeError)
    assert.equal(Object.isFrozen(value.a[0]), true)
  })
})
