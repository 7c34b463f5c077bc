import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { toClusterConfig } from '#features/cluster-config/index.ts'
import { workloadUpdateSettings } from './settings.ts'

const kubevirt = (workloadUpdateStrategy: object, annotations: Record<string, string> = {}): KubeVirt =>
  ({ metadata: { name: 'kubevirt', annotations }, spec: { workloadUpdateStrategy } }) as KubeVirt
const settingsIn = (object: KubeVirt): ReturnType<typeof workloadUpdateSettings> => workloadUpdateSettings(object, toClusterConfig(object))

test('workloadUpdateSettings() defaults to KubeVirt’s values', () => {
  const plain = settingsIn(kubevirt({}))
  assert.deepEqual([plain.batchSize, plain.batchIntervalMs, plain.windows, plain.isPaused], [10, 60_000, [], false])
  const said = settingsIn(kubevirt({ batchEvictionSize: 3, batchEvictionInterval: '1m30s' }))
  assert.deepEqual([said.batchSize, said.batchIntervalMs], [3, 90_000])
})

test('workloadUpdateSettings() replaces invalid values, and those that would disable evictions, by KubeVirt’s', () => {
  for (const strategy of [
    { batchEvictionSize: 0, batchEvictionInterval: '-1m' },
    { batchEvictionSize: -3, batchEvictionInterval: 'abc' },
  ]) {
    const settings = settingsIn(kubevirt(strategy))
    assert.deepEqual([settings.batchSize, settings.batchIntervalMs], [10, 60_000])
  }
})

test('workloadUpdateSettings() pauses on request, and when a window cannot be parsed', () => {
  const windows = 'steadyvm.io/workload-update-windows'
  for (const [word, wanted] of [
    ['true', true],
    ['maybe', true],
    ['false', false],
    ['', false],
  ] as const)
    assert.equal(settingsIn(kubevirt({}, { 'steadyvm.io/workload-update-paused': word })).isPaused, wanted, word)
  assert.equal(settingsIn(kubevirt({}, { [windows]: 'at night' })).isPaused, true)
  const fine = settingsIn(kubevirt({}, { [windows]: 'Sun 01:00-05:00' }))
  assert.deepEqual([fine.isPaused, fine.windows.length], [false, 1])
})
