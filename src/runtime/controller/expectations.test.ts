import assert from 'node:assert/strict'
import test from 'node:test'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { createExpectations } from './expectations.ts'
import { createVirtualClock } from '../clock/virtual-clock.ts'

function pod(uid: string, more: object = {}): KubeObject {
  return { metadata: { namespace: 'n', name: uid, uid, ...more } }
}

test('satisfied() waits from before the creation until the cache shows the object', () => {
  const expectations = createExpectations({ clock: createVirtualClock() })
  const creation = expectations.willCreate('n/vm')
  assert.equal(expectations.satisfied('n/vm'), false)
  assert.equal(expectations.satisfied('n/other'), true)
  creation.created('u1')
  assert.equal(expectations.satisfied('n/vm'), false)
  expectations.observe({ type: 'added', object: pod('u2') })
  assert.equal(expectations.satisfied('n/vm'), false)
  expectations.observe({ type: 'added', object: pod('u1') })
  assert.equal(expectations.satisfied('n/vm'), true)
})

test('satisfied() does not wait for an object that the watch delivered, or even deleted, before the response', () => {
  const expectations = createExpectations({ clock: createVirtualClock() })
  const creation = expectations.willCreate('n/vm')
  expectations.observe({ type: 'added', object: pod('u1') })
  expectations.observe({ type: 'deleted', object: pod('u1') })
  creation.created('u1')
  assert.equal(expectations.satisfied('n/vm'), true)
})

test('satisfied() forgets failed creations and deleted keys', () => {
  const expectations = createExpectations({ clock: createVirtualClock() })
  expectations.willCreate('a').failed()
  assert.equal(expectations.satisfied('a'), true)
  expectations.willCreate('b').created('u1')
  expectations.forget('b')
  assert.equal(expectations.satisfied('b'), true)
})

test('satisfied() waits for each deletion until it shows', () => {
  const expectations = createExpectations({ clock: createVirtualClock() })
  for (const uid of ['u1', 'u2', 'u3']) expectations.willDelete('a', uid)
  expectations.observe({ type: 'updated', object: pod('u1'), old: pod('u1') })
  expectations.observe({ type: 'updated', object: pod('u1', { deletionTimestamp: 'now' }), old: pod('u1') })
  expectations.observe({ type: 'deleted', object: pod('u2') })
  assert.equal(expectations.satisfied('a'), false)
  expectations.deletionFailed('a', 'u3')
  assert.equal(expectations.satisfied('a'), true)
})

test('satisfied() has a time limit', async () => {
  const clock = createVirtualClock()
  const expectations = createExpectations({ clock })
  expectations.willCreate('a').created('u1')
  await clock.advance(299_999)
  assert.equal(expectations.satisfied('a'), false)
  await clock.advance(1)
  assert.equal(expectations.satisfied('a'), true)
})
