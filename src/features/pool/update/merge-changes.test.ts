import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { mergeChanges } from './merge-changes.ts'

const table: readonly (readonly [string, unknown, unknown, unknown, unknown])[] = [
  ['keeps what others added', { a: 1 }, { a: 2 }, { a: 1, b: 3 }, { a: 2, b: 3 }],
  ['keeps what others changed', { a: 1, b: 1 }, { a: 2, b: 1 }, { a: 1, b: 9 }, { a: 2, b: 9 }],
  ['wins where both changed', { a: 1 }, { a: 2 }, { a: 9 }, { a: 2 }],
  ['removes what is gone', { a: 1, b: 1 }, { a: 1 }, { a: 1, b: 9 }, { a: 1 }],
  ['merges where nothing tells the old state', undefined, { a: { b: 1 } }, { a: { c: 2 } }, { a: { b: 1, c: 2 } }],
  ['adds a part', { a: 1 }, { a: 1, b: { c: 1 } }, { a: 1 }, { a: 1, b: { c: 1 } }],
  [
    'keeps a hotplugged disk',
    [{ name: 'root', size: 1 }],
    [{ name: 'root', size: 2 }, { name: 'data' }],
    [{ name: 'root', size: 1 }, { name: 'hot' }],
    [{ name: 'root', size: 2 }, { name: 'data' }, { name: 'hot' }],
  ],
  ['removes a disk', [{ name: 'root' }, { name: 'old' }], [{ name: 'root' }], [{ name: 'root' }, { name: 'old' }], [{ name: 'root' }]],
  [
    'does not bring back what a user removed',
    [{ name: 'root' }, { name: 'extra' }],
    [{ name: 'root', size: 2 }, { name: 'extra' }],
    [{ name: 'root' }],
    [{ name: 'root', size: 2 }],
  ],
  ['replaces other lists', ['a'], ['a', 'b'], ['a', 'c'], ['a', 'b']],
]

suite('mergeChanges()', () => {
  for (const [what, base, next, live, merged] of table)
    test(what, () => {
      assert.deepEqual(mergeChanges(base, next, live), merged)
    })

  const item = fc.record({ name: fc.constantFrom('a', 'b', 'c'), size: fc.nat(3) }, { noNullPrototype: true })
  const named = fc.uniqueArray(item, { selector: ({ name }) => name })
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 3 }, fc.nat(3), fc.array(fc.nat(3)), named, tie('object')),
    object: fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), tie('value'), { noNullPrototype: true }),
  }))

  test('gives what is wanted to an object without other changes', () => {
    fc.assert(fc.property(value, value, (base, next) => assert.deepEqual(mergeChanges(base, next, base), next)))
  })

  test('changes nothing without a change', () => {
    fc.assert(fc.property(value, value, (base, live) => assert.equal(mergeChanges(base, base, live), live)))
  })

  test('comes to rest: a second time changes nothing', () => {
    fc.assert(
      fc.property(value, value, value, (base, next, live) => {
        const merged = mergeChanges(base, next, live)
        assert.deepEqual(mergeChanges(base, next, merged), merged)
      }),
    )
  })
})
