import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { addressOf } from './request-address.ts'

suite('addressOf()', () => {
  test('decodes segments and query', () => {
    const address = addressOf({ url: '/exec/a/b%2Fc?command=x&command=y' })
    assert.deepEqual(address?.path, ['exec', 'a', 'b/c'])
    assert.deepEqual(address?.query.getAll('command'), ['x', 'y'])
  })
  for (const url of ['//', '/exec/%', '/exec/%ff']) test(`gives nothing for ${url}`, () => assert.equal(addressOf({ url }), undefined))
})
