import assert from 'node:assert/strict'
import { test } from 'node:test'
import { revisionOf } from './replica-sets.ts'

test('revisionOf() keeps numbers that a double cannot hold, and reads nothing else', () => {
  const read = (revision: string): bigint => revisionOf({ metadata: { annotations: { 'deployment.kubernetes.io/revision': revision } } })
  assert.equal(read('3546343826724305832') + 1n, 3546343826724305833n)
  for (const text of ['', '-1', '1.5', 'a', '99999999999999999999']) assert.equal(read(text), 0n)
  assert.equal(revisionOf({ metadata: {} }), 0n)
})
