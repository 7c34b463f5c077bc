import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Pod } from '#api/core/v1/pod.ts'
import { podAddress } from './pod-address.ts'

const pod = (uid: string, annotations: Record<string, string> = { 'steadyvm.io/own-address': 'true' }): Pod => ({
  metadata: { uid, annotations },
  spec: { containers: [] },
})

test("podAddress() returns the node's address for a pod without a request", () => {
  assert.equal(podAddress(pod('a', {}), { hostIP: '127.0.0.1' }), '127.0.0.1')
  assert.equal(podAddress(pod('a', { 'steadyvm.io/own-address': 'false' }), { hostIP: '127.0.0.1' }), '127.0.0.1')
})

test('podAddress() returns a unique and stable address for a pod that requests one, outside of the service range', () => {
  const found = Array.from({ length: 200 }, (_, index) => podAddress(pod(`uid-${index}`), { hostIP: '127.0.0.1' }))
  assert.equal(new Set(found).size, 200)
  assert.equal(podAddress(pod('uid-7'), { hostIP: '10.0.0.1' }), found[7])
  for (const address of found) {
    const [first, second = 0, , last = 0] = address.split('.').map(Number)
    assert.ok(first === 127 && second >= 64 && second < 96 && last > 0 && last < 255, address)
  }
})
