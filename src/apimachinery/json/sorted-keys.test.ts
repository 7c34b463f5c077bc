import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withSortedKeys } from './sorted-keys.ts'

test('withSortedKeys() gives equal texts for equal objects', () => {
  const [one, other] = [{ b: [{ d: 1, c: null }], a: 'x' }, JSON.parse('{"a":"x","b":[{"c":null,"d":1}]}') as unknown]
  assert.equal(JSON.stringify(withSortedKeys(one)), JSON.stringify(withSortedKeys(other)))
  assert.equal(JSON.stringify(withSortedKeys(one)), '{"a":"x","b":[{"c":null,"d":1}]}')
  assert.notEqual(JSON.stringify(withSortedKeys([1, 2])), JSON.stringify(withSortedKeys([2, 1])))
})
