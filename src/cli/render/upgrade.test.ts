import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeVirt, KubeVirtStatus } from '#api/kubevirt/v1/kubevirt.ts'
import { needsAttention, renderUpgrade } from './upgrade.ts'

const now = Date.parse('2026-01-01T00:01:00Z')
const kubevirt = (status: KubeVirtStatus): KubeVirt => ({ metadata: {}, spec: {}, status })
const upgrade = {
  from: 'v1.0.0',
  to: 'v2.0.0',
  stage: 'NodeAgents',
  startedAt: '2026-01-01T00:00:00Z',
  stageStartedAt: '2026-01-01T00:00:57Z',
  progress: { desired: 5, updated: 2, ready: 1 },
}

test('renderUpgrade() shows stage, progress and skipped nodes', () => {
  const text = renderUpgrade(kubevirt({ observedKubeVirtVersion: 'v1.0.0', steadyvm: { upgrade: { ...upgrade, skipped: ['n7'] } } }), now)
  assert.match(text, /from v1\.0\.0 to v2\.0\.0, for 60 s/)
  assert.match(text, /NodeAgents, for 3\.00 s: 2 of 5 replaced, 1 ready/)
  assert.match(text, /n7/)
})

test('renderUpgrade() shows what was rolled back, and nothing when there is no upgrade', () => {
  const rejected = { version: 'v2.0.0', deploymentID: 'x', generation: 2, message: 'it crashed' }
  const text = renderUpgrade(kubevirt({ observedKubeVirtVersion: 'v1.0.0', steadyvm: { rejected } }), now)
  assert.match(text, /rolled back +v2\.0\.0: it crashed/)
  assert.doesNotMatch(text, /stage/)
  assert.equal(renderUpgrade(kubevirt({}), now), 'version   none yet\n')
})

test('needsAttention() and renderUpgrade() report a component that is not ready after an upgrade', () => {
  const down = { type: 'Available', status: 'False', reason: 'ComponentsNotReady', message: 'virt-controller: 0 of 1 ready' } as const
  const kept = { ...upgrade, stage: 'Workloads' as const, contractAt: '2026-01-01T00:10:00Z' }
  const status = { observedKubeVirtVersion: 'v2.0.0', conditions: [down], steadyvm: { upgrade: kept } }
  assert.ok(needsAttention(kubevirt(status)))
  assert.match(renderUpgrade(kubevirt(status), now), /not ready +virt-controller: 0 of 1 ready/)
  assert.ok(!needsAttention(kubevirt({ ...status, conditions: [{ ...down, status: 'True' }] })))
})
