import assert from 'node:assert/strict'
import { test } from 'node:test'
import { differingPaths } from './differing-paths.ts'

test('what is wanted is compared, and no more', () => {
  const rows: readonly (readonly [unknown, unknown, readonly string[]])[] = [
    [{ a: 1 }, { a: 1, b: 2 }, []],
    [{ a: { b: 1 } }, { a: { b: 2, c: 3 } }, ['a.b']],
    [{ a: { b: 1 } }, {}, ['a']],
    [{ a: {} }, {}, []],
    [{ a: {} }, { a: 3 }, ['a']],
    [{ a: [1, 2] }, { a: [2, 1] }, ['a']],
    [{ a: '1024Mi' }, { a: '1Gi' }, []],
    [{ a: 1 }, { a: '1' }, []],
    [{ a: 'x' }, { a: 'y' }, ['a']],
    [{ a: null }, { a: null }, []],
  ]
  for (const [wanted, present, paths] of rows)
    assert.deepEqual(
      differingPaths(wanted, present).map((path) => path.join('.')),
      paths,
      JSON.stringify([wanted, present]),
    )
})
