import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { rolloutLimits } from './target-version.ts'

suite('rolloutLimits()', () => {
  const defaults = { soakMs: 15_000, deadlineMs: 30_000 }
  for (const [reason, annotations, expected] of [
    ['uses the defaults without annotations', {}, defaults],
    ['reads the soak time', { 'steadyvm.io/rollout-soak': '2s' }, { soakMs: 2_000, deadlineMs: 30_000 }],
    ['reads the deadline', { 'steadyvm.io/rollout-deadline': '1m30s' }, { soakMs: 15_000, deadlineMs: 90_000 }],
    ['ignores an invalid duration', { 'steadyvm.io/rollout-soak': 'soon' }, defaults],
  ] as const) {
    test(reason, () => {
      const kubevirt: KubeVirt = { metadata: { annotations }, spec: {} }
      assert.deepEqual(rolloutLimits(kubevirt, defaults), expected)
    })
  }
})
