import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachine, VirtualMachineStatus } from '#api/kubevirt/v1/virtual-machine.ts'
import { validateSnapshotLocks } from './snapshot-lock.ts'

const vm: VirtualMachine = { metadata: {}, spec: { runStrategy: 'Halted', template: { spec: { domain: { devices: {} } } } } }
const started: VirtualMachine = { ...vm, spec: { ...vm.spec, runStrategy: 'Always' } }
const plugged: VirtualMachine = {
  ...vm,
  spec: { ...vm.spec, template: { spec: { domain: { devices: {} }, volumes: [{ name: 'x', containerDisk: { image: 'x' } }] } } },
}
const sized: VirtualMachine = { ...vm, spec: { ...vm.spec, instancetype: { name: 'big' } } }

suite('validateSnapshotLocks()', () => {
  const rows: readonly { reason: string; status: VirtualMachineStatus; to: VirtualMachine; refused: boolean }[] = [
    { reason: 'an unlocked VM is started', status: {}, to: started, refused: false },
    { reason: 'a VM is started during a snapshot', status: { snapshotInProgress: 's' }, to: started, refused: true },
    { reason: 'a volume is added during a snapshot', status: { snapshotInProgress: 's' }, to: plugged, refused: true },
    { reason: 'a VM is resized during a snapshot', status: { snapshotInProgress: 's' }, to: sized, refused: false },
    { reason: 'a VM is started during a restore', status: { restoreInProgress: 'r' }, to: started, refused: true },
    { reason: 'a VM is changed during a restore', status: { restoreInProgress: 'r' }, to: sized, refused: false },
  ]
  for (const { reason, status, to, refused } of rows) {
    test(`${refused ? 'refuses' : 'allows'} when ${reason}`, () =>
      assert.equal(validateSnapshotLocks(to, { ...vm, status }).length > 0, refused))
  }

  test('allows the creation of a VM', () => assert.deepEqual(validateSnapshotLocks(vm, undefined), []))
})
