import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeVirtStatus } from '#api/kubevirt/v1/kubevirt.ts'
import { createMetrics } from '#runtime/metrics/metrics.ts'
import { defineUpgradeMetrics } from './metrics.ts'

const upgrade = {
  from: 'v1.0.0',
  to: 'v2.0.0',
  stage: 'Controllers',
  startedAt: '2026-01-01T00:00:00Z',
  stageStartedAt: '2026-01-01T00:00:10Z',
  progress: { desired: 1, updated: 0, ready: 0 },
}

test('the metrics of an upgrade follow it, and have no times without an upgrade', async () => {
  let status: KubeVirtStatus | undefined = { steadyvm: { upgrade } }
  const metrics = createMetrics()
  defineUpgradeMetrics(metrics, { clock: { now: () => Date.parse('2026-01-01T00:00:15Z') }, status: () => status })
  const during = await metrics.metrics()
  assert.match(during, /^steadyvm_upgrade_stage\{stage="Controllers"\} 1$/m)
  assert.match(during, /^steadyvm_upgrade_stage\{stage="API"\} 0$/m)
  assert.match(during, /^steadyvm_upgrade_stage_seconds\{stage="Controllers"\} 5$/m)
  assert.match(during, /^steadyvm_upgrade_rejected 0$/m)
  status = { steadyvm: { rejected: { version: 'v2.0.0', deploymentID: 'x', generation: 2, message: 'it crashed' } } }
  const after = await metrics.metrics()
  assert.match(after, /^steadyvm_upgrade_stage\{stage="Controllers"\} 0$/m)
  assert.doesNotMatch(after, /^steadyvm_upgrade_stage_seconds\{/m)
  assert.match(after, /^steadyvm_upgrade_rejected 1$/m)
})
