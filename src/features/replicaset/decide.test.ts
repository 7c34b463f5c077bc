import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachineInstanceReplicaSet } from '#api/kubevirt/v1/virtual-machine-instance-replica-set.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { decide } from './decide.ts'

const labels = { app: 'web' }

function replicaSet(replicas?: number, more: { paused?: boolean; deletionTimestamp?: string } = {}): VirtualMachineInstanceReplicaSet {
  const { deletionTimestamp, paused } = more
  return {
    metadata: { name: 'web', ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) },
    spec: {
      ...(replicas === undefined ? {} : { replicas }),
      ...(paused === undefined ? {} : { paused }),
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { domain: { devices: {} } } },
    },
  }
}

function vmi(name: string, phase: 'Pending' | 'Running' | 'Failed', isReady = false, minute = 0): VirtualMachineInstance {
  const conditions = isReady ? [{ type: 'Ready', status: 'True' as const }] : []
  const creationTimestamp = new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString()
  return { metadata: { name, creationTimestamp }, spec: { domain: { devices: {} } }, status: { phase, conditions } }
}

const leaving = (of: VirtualMachineInstance): VirtualMachineInstance => ({
  ...of,
  metadata: { ...of.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
})
const [a, b, c] = [vmi('a', 'Running', true, 1), vmi('b', 'Running', false, 2), vmi('c', 'Pending', false, 3)]

suite('decide()', () => {
  const rows: readonly (readonly [string, VirtualMachineInstanceReplicaSet, VirtualMachineInstance[], boolean, number, string[]])[] = [
    ['creates one VMI by default', replicaSet(), [], true, 1, []],
    ['creates what is missing', replicaSet(3), [a], true, 2, []],
    ['replaces VMIs that end', replicaSet(2), [a, leaving(b)], true, 1, []],
    ['deletes and replaces VMIs that have ended', replicaSet(2), [a, vmi('x', 'Failed')], true, 1, ['x']],
    ['deletes those first that run least', replicaSet(1), [a, b, c], true, 0, ['c', 'b']],
    ['deletes the youngest of equal ones', replicaSet(1), [a, vmi('y', 'Running', true, 9)], true, 0, ['y']],
    ['waits for the cache', replicaSet(3), [], false, 0, []],
    ['does nothing while it is paused', replicaSet(3, { paused: true }), [vmi('x', 'Failed')], true, 0, []],
    ['does nothing while it is deleted', replicaSet(3, { deletionTimestamp: '2026-01-01T00:00:00Z' }), [], true, 0, []],
  ]
  for (const [title, set, vmis, isSettled, create, remove] of rows)
    test(title, () => {
      const decision = decide({ replicaSet: set, vmis, isSettled })
      assert.deepEqual([decision.create, decision.remove.map(({ metadata }) => metadata.name)], [create, remove])
    })

  test('counts what stays', () => {
    const { replicas, readyReplicas } = decide({ replicaSet: replicaSet(2), vmis: [a, b, c, vmi('x', 'Failed')], isSettled: true })
    assert.deepEqual([replicas, readyReplicas], [2, 1])
  })
})
