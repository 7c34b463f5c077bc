import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachineInstanceMigrationState } from '#api/kubevirt/v1/migration-state.ts'
import { isConcerned, migrationRoleOf } from './role.ts'

suite('migrationRoleOf()', () => {
  type Row = readonly [string, string, VirtualMachineInstanceMigrationState, readonly string[], 'Running' | 'Failed']
  const rows: readonly Row[] = [
    ['source and target before the handover', 'a', {}, ['source', 'target', 'nothing'], 'Running'],
    ['only the owner after the handover', 'b', {}, ['nothing', 'owner', 'nothing'], 'Running'],
    ['no role when it is complete', 'b', { completed: true }, ['nothing', 'nothing', 'nothing'], 'Running'],
    ['no role for a failed guest', 'b', {}, ['nothing', 'nothing', 'nothing'], 'Failed'],
    ['no role when it has failed', 'a', { failed: true }, ['nothing', 'nothing', 'nothing'], 'Running'],
  ]
  for (const [name, nodeName, state, expected, phase] of rows) {
    test(`returns ${name}`, () => {
      const migrationState = { migrationUid: 'm', sourceNode: 'a', targetNode: 'b', ...state }
      const vmi = { metadata: {}, spec: { domain: { devices: {} } }, status: { phase, nodeName, migrationState } }
      const nodes = ['a', 'b', 'c']
      assert.deepEqual(
        nodes.map((node) => migrationRoleOf(vmi, node)?.role ?? 'nothing'),
        expected,
      )
      // A node that the guest has left, or never reached, must not report its end.
      assert.deepEqual(
        nodes.filter((node) => isConcerned(vmi, node)),
        nodes.filter((node, index) => node === nodeName || expected[index] !== 'nothing'),
      )
    })
  }
})
