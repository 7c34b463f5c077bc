import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMetrics } from '#runtime/metrics/metrics.ts'
import { kubeVirtKey } from '../choose-kubevirt.ts'
import { defineEmulation, defineLeadership, defineReadiness, defineVersion } from './component-metrics.ts'

test('the state of a component is read at each scrape, and the configuration by the leader only', async () => {
  const metrics = createMetrics()
  const state = { isReady: false, isLeader: false, useEmulation: false }
  defineReadiness(metrics, 'virt-operator', () => state.isReady)
  defineLeadership(metrics, 'virt-operator', () => state.isLeader)
  defineVersion(metrics, { version: 'v1.2.3', runtime: 'node26' })
  const kubevirts = {
    list: () => [{ metadata: kubeVirtKey, spec: { configuration: { developerConfiguration: { useEmulation: state.useEmulation } } } }],
  }
  defineEmulation(metrics, kubevirts, () => state.isLeader)
  const scrape = async (): Promise<string[]> => (await metrics.metrics()).split('\n').filter((line) => line.startsWith('kubevirt_'))
  assert.deepEqual(await scrape(), [
    'kubevirt_virt_operator_ready_status 0',
    'kubevirt_virt_operator_leading_status 0',
    'kubevirt_info{goversion="node26",kubeversion="v1.2.3"} 1',
  ])
  Object.assign(state, { isReady: true, isLeader: true, useEmulation: true })
  assert.deepEqual(await scrape(), [
    'kubevirt_virt_operator_ready_status 1',
    'kubevirt_virt_operator_leading_status 1',
    'kubevirt_info{goversion="node26",kubeversion="v1.2.3"} 1',
    'kubevirt_configuration_emulation_enabled 1',
  ])
})
