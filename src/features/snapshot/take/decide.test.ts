import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { VirtualMachineSnapshotContent } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import type { VirtualMachineSnapshot } from '#api/snapshot/v1beta1/virtual-machine-snapshot.ts'
import { decide, type Observed } from './decide.ts'
import { contentFinalizer, snapshotFinalizer, sourceFinalizer } from '../names.ts'

const created = '2026-01-01T00:00:00Z'
const now = Date.parse('2026-01-01T00:01:00Z')
const spec: VirtualMachineSnapshot['spec'] = { source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' } }
const asked: VirtualMachineSnapshot = { metadata: { name: 'snap', uid: 's', creationTimestamp: created }, spec }
const snapshot: VirtualMachineSnapshot = { ...asked, metadata: { ...asked.metadata, finalizers: [snapshotFinalizer] } }
const going: VirtualMachineSnapshot = { ...snapshot, metadata: { ...snapshot.metadata, deletionTimestamp: created } }
const vm: VirtualMachine = {
  metadata: { name: 'web', uid: 'v' },
  spec: { runStrategy: 'Halted', template: { spec: { domain: { devices: {} } } } },
}
const locked: VirtualMachine = { ...vm, status: { snapshotInProgress: 'snap' } }
const held: VirtualMachine = { ...locked, metadata: { ...vm.metadata, finalizers: [sourceFinalizer] } }
const content: VirtualMachineSnapshotContent = { metadata: { name: 'c', finalizers: [contentFinalizer] }, spec: { source: {} } }
const ready: VirtualMachineSnapshotContent = { ...content, status: { readyToUse: true } }
const leaving: VirtualMachineSnapshotContent = { ...ready, metadata: { ...ready.metadata, deletionTimestamp: created } }
const toStay: VirtualMachineSnapshot = { ...snapshot, spec: { ...spec, deletionPolicy: 'Retain' } }
const owner = { apiVersion: 'snapshot.kubevirt.io/v1beta1', kind: 'VirtualMachineSnapshot', name: 'snap', uid: 's' }
const owned: VirtualMachineSnapshotContent = { ...content, metadata: { ...content.metadata, ownerReferences: [owner] } }
const guest: VirtualMachineInstance = {
  metadata: { name: 'web', uid: 'g' },
  spec: { domain: { devices: {} } },
  status: { phase: 'Running' },
}
const pod = { metadata: { name: 'attached' }, spec: { containers: [] } }
const backup = { volumeName: 'a', persistentVolumeClaim: {}, steadyvm: { copyClaimName: 'copy' } }
const stored: VirtualMachineSnapshotContent = { ...content, spec: { ...content.spec, volumeBackups: [backup] } }
const leavingStored: VirtualMachineSnapshotContent = { ...stored, metadata: { ...stored.metadata, deletionTimestamp: created } }
const volumes = { id: 's', snapshotName: 'snap', guestUid: undefined, vmi: undefined, launcher: undefined, looks: [{ backup }] }
const failed: VirtualMachineSnapshot = { ...snapshot, status: { phase: 'Failed' } }
const nothing = { vm: undefined, content: undefined, restores: [], revisions: 0 }

const rows: readonly (Partial<Observed> & { readonly snapshot: VirtualMachineSnapshot; readonly step: string; readonly reason: string })[] =
  [
    { step: 'protect', reason: 'first of all', snapshot: asked, vm },
    { step: 'wait', reason: 'no VM', snapshot },
    {
      step: 'wait',
      reason: 'a VM that is being deleted',
      snapshot,
      vm: { ...vm, metadata: { ...vm.metadata, deletionTimestamp: created } },
    },
    {
      step: 'capture',
      reason: 'a VM that is being deleted and locked by it',
      snapshot,
      vm: { ...held, metadata: { ...held.metadata, deletionTimestamp: created } },
    },
    { step: 'wait', reason: 'another snapshot is being taken', snapshot, vm: { ...vm, status: { snapshotInProgress: 'other' } } },
    { step: 'wait', reason: 'the VM is being restored', snapshot, vm: { ...vm, status: { restoreInProgress: 'other' } } },
    { step: 'lock', reason: 'a free VM', snapshot, vm },
    { step: 'protectSource', reason: 'a VM that could still be deleted', snapshot, vm: locked },
    { step: 'capture', reason: 'everything is locked', snapshot, vm: held },
    { step: 'completeContent', reason: 'taken', snapshot, vm: held, content },
    { step: 'backUp', reason: 'taken, with volumes', snapshot, vm: held, content: stored, volumes },
    { step: 'fail', reason: 'a guest starts beside its workers', snapshot, vm: held, content: stored, volumes: { ...volumes, vmi: guest } },
    { step: 'fail', reason: 'the VM is no longer locked', snapshot, vm, content: stored, volumes },
    {
      step: 'fail',
      reason: 'the deadline is over while volumes are copied',
      snapshot: { ...snapshot, spec: { ...spec, failureDeadline: '10s' } },
      vm: held,
      content: stored,
      volumes,
    },
    { step: 'withdraw', reason: 'all volumes are copied', snapshot, vm: held, content: ready, copying: guest, attached: [pod] },
    { step: 'detach', reason: 'nothing is asked of the node agent any more', snapshot, vm: held, content: ready, attached: [pod] },
    { step: 'withdraw', reason: 'it has failed', snapshot: failed, vm: held, content: stored, copying: guest },
    { step: 'unlock', reason: 'it has failed, and the guest is left alone', snapshot: failed, vm: held, content: stored },
    { step: 'deleteContent', reason: 'it has failed, with incomplete copies', snapshot: failed, vm, content: stored },
    { step: 'releaseContent', reason: 'it has failed, and its copies are being deleted', snapshot: failed, vm, content: leavingStored },
    { step: 'none', reason: 'it has failed, and nothing is left', snapshot: failed, vm },
    {
      step: 'withdraw',
      reason: 'it is being deleted while volumes are copied',
      snapshot: going,
      vm: held,
      content: stored,
      copying: guest,
    },
    {
      step: 'deleteContent',
      reason: 'it is being deleted, and incomplete copies are not retained',
      snapshot: { ...going, spec: { ...spec, deletionPolicy: 'Retain' } },
      content: stored,
    },
    { step: 'disown', reason: 'taken, with deletion policy Retain', snapshot: toStay, vm: held, content: owned },
    { step: 'completeContent', reason: 'taken, and owned by the snapshot', snapshot: toStay, vm: held, content },
    { step: 'unlock', reason: 'taken completely', snapshot, vm: held, content: ready },
    { step: 'succeed', reason: 'taken, and the VM is unlocked', snapshot, vm, content: ready },
    { step: 'succeed', reason: 'taken, and the VM was deleted', snapshot, content: ready },
    { step: 'none', reason: 'it has succeeded', snapshot: { ...snapshot, status: { phase: 'Succeeded' } }, vm, content: ready },
    {
      step: 'unlock',
      reason: 'it has succeeded, and the VM is locked by another snapshot',
      snapshot: { ...snapshot, status: { phase: 'Succeeded' } },
      vm: held,
    },
    { step: 'fail', reason: 'after the deadline', snapshot: { ...snapshot, spec: { ...spec, failureDeadline: '30s' } }, vm },
    {
      step: 'unlock',
      reason: 'after the deadline, with a locked VM',
      snapshot: { ...snapshot, spec: { ...spec, failureDeadline: '30s' } },
      vm: held,
    },
    {
      step: 'succeed',
      reason: 'after the deadline, but taken',
      snapshot: { ...snapshot, spec: { ...spec, failureDeadline: '30s' } },
      vm,
      content: ready,
    },
    { step: 'lock', reason: 'no deadline', snapshot: { ...snapshot, spec: { ...spec, failureDeadline: '0s' } }, vm },
    {
      step: 'none',
      reason: 'it is being deleted without finalizers',
      snapshot: { ...going, metadata: { ...going.metadata, finalizers: [] } },
    },
    { step: 'unlock', reason: 'it is being deleted, with a locked VM', snapshot: going, vm: held, content },
    {
      step: 'waitForRestores',
      reason: 'it is being deleted, and a restore needs it',
      snapshot: going,
      vm,
      content: ready,
      restores: ['back'],
    },
    { step: 'deleteContent', reason: 'it is being deleted', snapshot: going, vm, content: ready },
    { step: 'releaseContent', reason: 'it is being deleted, and so is the content', snapshot: going, vm, content: leaving },
    { step: 'release', reason: 'it is being deleted, and no content is left', snapshot: going, vm },
    {
      step: 'handOver',
      reason: 'it is being deleted, and its content is retained',
      snapshot: { ...going, spec: { ...spec, deletionPolicy: 'Retain' } },
      content: ready,
      revisions: 2,
    },
    {
      step: 'release',
      reason: 'it is being deleted, and its retained content owns its revisions',
      snapshot: { ...going, spec: { ...spec, deletionPolicy: 'Retain' } },
      content: ready,
    },
    {
      step: 'deleteContent',
      reason: 'it is being deleted before its content was bound',
      snapshot: { ...going, spec: { ...spec, deletionPolicy: 'Retain' } },
      content: owned,
      revisions: 2,
    },
  ]

suite('decide()', () => {
  for (const { step, reason, ...observed } of rows) {
    test(`returns ${step}: ${reason}`, () => assert.equal(decide({ ...nothing, ...observed }, now).kind, step))
  }
})
