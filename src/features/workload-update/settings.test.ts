import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { defaultClusterConfig } from '#features/defaults/index.ts'
import { settingsOf } from './settings.ts'

const kubevirt = (workloadUpdateStrategy: object, annotations: Record<string, string> = {}): KubeVirt =>
  ({ metadata: { name: 'kubevirt', annotations }, spec: { workloadUpdateStrategy } }) as KubeVirt

test('settingsOf() takes KubeVirt’s values where nothing is said, and what is said where it is', () => {
  const plain = settingsOf(kubevirt({}), defaultClusterConfig)
  assert.deepEqual([plain.batchSize, plain.batchIntervalMs, plain.windows, plain.isPaused], [10, 60_000, [], false])
  const said = settingsOf(kubevirt({ batchEvictionSize: 3, batchEvictionInterval: '1m30s' }), defaultClusterConfig)
  assert.deepEqual([said.batchSize, said.batchIntervalMs], [3, 90_000])
})

test('settingsOf() pauses when it is told to, and when it does not understand when to update', () => {
  const windows = 'steadyvm.io/workload-update-windows'
  assert.equal(settingsOf(kubevirt({}, { 'steadyvm.io/workload-update-paused': 'true' }), defaultClusterConfig).isPaused, true)
  assert.equal(settingsOf(kubevirt({}, { [windows]: 'at night' }), defaultClusterConfig).isPaused, true)
  const fine = settingsOf(kubevirt({}, { [windows]: 'Sun 01:00-05:00' }), defaultClusterConfig)
  assert.deepEqual([fine.isPaused, fine.windows.length], [false, 1])
})
