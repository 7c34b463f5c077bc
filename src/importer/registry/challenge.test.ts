import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseChallenge } from './challenge.ts'

test('parseChallenge() reads quoted parameters with commas, and ignores other schemes', () => {
  assert.deepEqual(parseChallenge('Bearer realm="https://a/token",service="b",scope="repository:x:pull,push"'), {
    scheme: 'bearer',
    parameters: { realm: 'https://a/token', service: 'b', scope: 'repository:x:pull,push' },
  })
  assert.deepEqual(parseChallenge('basic realm=x'), { scheme: 'basic', parameters: { realm: 'x' } })
  assert.equal(parseChallenge('Negotiate'), undefined)
  assert.equal(parseChallenge(null), undefined)
})
