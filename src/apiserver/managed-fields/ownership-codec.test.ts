import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { identityOf, parseIdentity } from './ownership-codec.ts'

suite('parseIdentity()', () => {
  const identity = (manager: string): string => identityOf({ manager, operation: 'Apply', apiVersion: 'v1' })
  test('caches identities', () => assert.equal(parseIdentity(identity('kubectl')), parseIdentity(identity('kubectl'))))
  test('does not cache long names', () => {
    const long = 'm'.repeat(5000)
    assert.equal(parseIdentity(identity(long)).manager, long)
    assert.notEqual(parseIdentity(identity(long)), parseIdentity(identity(long)))
  })
})
