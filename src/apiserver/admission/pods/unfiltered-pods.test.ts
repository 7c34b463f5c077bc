import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AdmissionRequest } from '../chain.ts'
import { createUnfilteredPods } from './unfiltered-pods.ts'

const pod = (name: string, isGuest: boolean) => ({
  object: { metadata: { name, labels: { app: 'web' }, ...(isGuest ? { annotations: { 'steadyvm.io/pod-network': name } } : {}) } },
})

/** Returns the warnings about a policy in a namespace with some pods. */
function warningsOf(
  pods: readonly ReturnType<typeof pod>[],
  { app = 'web', hasPodNetwork = true, old = undefined as object | undefined } = {},
): string[] {
  const found: string[] = []
  const object = { metadata: { name: 'x' }, spec: { podSelector: { matchLabels: { app } } } }
  const context = { warn: (text: string) => void found.push(text) }
  const request = { operation: old === undefined ? 'CREATE' : 'UPDATE', target: { namespace: 'shop' }, object, old, context }
  const store = { list: () => pods } as never
  void createUnfilteredPods(store, hasPodNetwork).validate?.(request as unknown as AdmissionRequest)
  return found
}

test('createUnfilteredPods() names the pods that a policy selects and that are no guests', () => {
  assert.deepEqual(warningsOf([pod('guest', true)]), [])
  assert.deepEqual(warningsOf([pod('a', false)], { app: 'db' }), [])
  assert.match(warningsOf([pod('a', false), pod('guest', true)])[0] ?? '', /^spec\.podSelector selects .* not filtered: "a"$/)
  assert.match(warningsOf(['a', 'b', 'c', 'd', 'e'].map((name) => pod(name, false)))[0] ?? '', /: "a", "b", "c", 2 more$/)
  const same = { spec: { podSelector: { matchLabels: { app: 'web' } } } }
  assert.deepEqual(warningsOf([pod('a', false)], { old: same }), [])
  assert.match(warningsOf([], { hasPodNetwork: false })[0] ?? '', /nothing on this machine acts on it/)
})
