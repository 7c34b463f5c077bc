import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { identityOf, parseIdentity } from './ownership-codec.ts'

suite('parseIdentity()', () => {
  const identity = (manager: string): string => identityOf({ manager, operation: 'Apply', apiVersion: 'v1' })
  test('remembers who was met', () => assert.equal(parseIdentity(identity('kubectl')), parseIdentity(identity('kubectl'))))
  test('keeps no name of any length in memory', () => {
    const long = 'm'.repeat(5000)
    assert.equal(parseIdentity(identity(long)).manager, long)
    assert.notEqual(parseIdentity(identity(long)), parseIdentity(identity(long)))
  })
})
