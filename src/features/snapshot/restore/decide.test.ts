import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { TargetReadinessPolicy, VirtualMachineRestore } from '#api/snapshot/v1beta1/virtual-machine-restore.ts'
import type { VirtualMachineSnapshotContent } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import type { VirtualMachineSnapshot } from '#api/snapshot/v1beta1/virtual-machine-snapshot.ts'
import { lastRestoreAnnotation, restoreFinalizer } from '../names.ts'
import { decide, type Observed } from './decide.ts'

const created = '2026-01-01T00:00:00Z'
const soon = Date.parse('2026-01-01T00:01:00Z')
const late = Date.parse('2026-01-01T00:06:00Z')
const target = { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' }
const ownerReferences = [{ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name: 'web', uid: 'v', controller: true }]
const restore: VirtualMachineRestore = {
  metadata: { name: 'back', uid: 'r', creationTimestamp: created, finalizers: [restoreFinalizer], ownerReferences },
  spec: { target, virtualMachineSnapshotName: 'snap' },
}
const asked: VirtualMachineRestore = { ...restore, metadata: { ...restore.metadata, finalizers: [] } }
const nobodys: VirtualMachineRestore = { ...restore, metadata: { ...restore.metadata, ownerReferences: [] } }
const going: VirtualMachineRestore = { ...restore, metadata: { ...restore.metadata, deletionTimestamp: created } }
const over: VirtualMachineRestore = { ...restore, status: { complete: true } }
const failed: VirtualMachineRestore = { ...restore, status: { conditions: [{ type: 'Failure', status: 'True' }] } }
const taken: VirtualMachineSnapshot = { metadata: { name: 'snap' }, spec: { source: target }, status: { readyToUse: true, sourceUID: 'v' } }
const retained: VirtualMachineSnapshot = { ...taken, spec: { ...taken.spec, deletionPolicy: 'Retain' } }
const template = { spec: { domain: { devices: {} } } }
const content: VirtualMachineSnapshotContent = { metadata: {}, spec: { source: { virtualMachine: { spec: { template } } } } }
const vm: VirtualMachine = { metadata: { name: 'web', uid: 'v' }, spec: { runStrategy: 'Halted', template } }
const locked: VirtualMachine = { ...vm, status: { restoreInProgress: 'back' } }
const written: VirtualMachine = { ...locked, metadata: { ...vm.metadata, annotations: { [lastRestoreAnnotation]: 'back-r' } } }
const freed: VirtualMachine = { ...written, status: {} }
const made: VirtualMachine = {
  ...freed,
  metadata: { name: 'web', uid: 'new', annotations: { [lastRestoreAnnotation]: 'back-r', 'steadyvm.io/restoring': 'back' } },
}
const guest: VirtualMachineInstance = { metadata: { name: 'web' }, spec: { domain: { devices: {} } } }
const all = { restore, snapshot: taken, content, vm, vmi: undefined }
const under = (targetReadinessPolicy: TargetReadinessPolicy): VirtualMachineRestore => ({
  ...restore,
  spec: { ...restore.spec, targetReadinessPolicy },
})

const leaving = <T extends VirtualMachineSnapshot | VirtualMachineSnapshotContent>(one: T): T => ({
  ...one,
  metadata: { ...one.metadata, deletionTimestamp: created },
})

const rows: readonly (Partial<Observed> & { readonly step: string; readonly reason: string; readonly now?: number })[] = [
  { step: 'protect', reason: 'first of all', restore: asked },
  { step: 'wait', reason: 'no snapshot', snapshot: undefined },
  { step: 'wait', reason: 'a snapshot that is not ready', snapshot: { ...taken, status: {} } },
  { step: 'wait', reason: 'no content', content: undefined },
  { step: 'fail', reason: 'a snapshot that has failed', snapshot: { ...taken, status: { phase: 'Failed' } } },
  { step: 'create', reason: 'no VM', restore: nobodys, vm: undefined },
  { step: 'fail', reason: 'the VM was deleted', vm: undefined },
  { step: 'belong', reason: 'a VM', restore: nobodys },
  { step: 'belong', reason: 'a VM that runs', restore: nobodys, vmi: guest },
  { step: 'belong', reason: 'a VM that it has created', restore: nobodys, vm: made },
  {
    step: 'fail',
    reason: 'another VM, which does not own it',
    restore: nobodys,
    vm: { ...vm, metadata: { name: 'web', uid: 'other' } },
  },
  {
    step: 'wait',
    reason: 'a VM that is being deleted will be recreated',
    restore: nobodys,
    vm: { ...vm, metadata: { ...vm.metadata, deletionTimestamp: created } },
  },
  { step: 'fail', reason: 'a snapshot that is being deleted and never becomes ready', snapshot: leaving({ ...taken, status: {} }) },
  { step: 'fail', reason: 'a snapshot that is being deleted, without its content', snapshot: leaving(taken), content: undefined },
  { step: 'fail', reason: 'content that is being deleted', content: leaving(content) },
  { step: 'fail', reason: 'a snapshot that is being deleted, with retained content', snapshot: leaving(retained) },
  { step: 'lock', reason: 'a snapshot that is being deleted and waits', snapshot: leaving(taken) },
  { step: 'rewrite', reason: 'it has begun, and the content waits', vm: locked, snapshot: leaving(taken), content: leaving(content) },
  { step: 'pin', reason: 'it has begun, and the snapshot waits', vm: made, snapshot: leaving(retained) },
  { step: 'wait', reason: 'a VM that is being deleted', vm: { ...vm, metadata: { ...vm.metadata, deletionTimestamp: created } } },
  { step: 'fail', reason: 'the VM is another one', vm: { ...vm, metadata: { name: 'web', uid: 'other' } } },
  { step: 'wait', reason: 'a snapshot of the VM is being taken', vm: { ...vm, status: { snapshotInProgress: 'x' } } },
  { step: 'wait', reason: 'another restore has locked it', vm: { ...vm, status: { restoreInProgress: 'x' } } },
  { step: 'lock', reason: 'a halted VM' },
  { step: 'rewrite', reason: 'it is locked', vm: locked },
  { step: 'unlock', reason: 'it is locked, but was started', vm: locked, vmi: guest },
  { step: 'pin', reason: 'its spec is restored', vm: written },
  { step: 'pin', reason: 'its spec is restored, and a guest was started', vm: written, vmi: guest },
  { step: 'succeed', reason: 'it is unlocked', vm: freed },
  { step: 'succeed', reason: 'it is unlocked, and the snapshot was deleted', vm: freed, snapshot: undefined, content: undefined },
  { step: 'pin', reason: 'a new VM', vm: made },
  { step: 'wait', reason: 'it runs', vmi: guest },
  { step: 'fail', reason: 'it runs after the deadline', vmi: guest, now: late },
  { step: 'wait', reason: 'it runs under WaitEventually', restore: under('WaitEventually'), vmi: guest, now: late },
  { step: 'fail', reason: 'it runs under FailImmediate', restore: under('FailImmediate'), vmi: guest },
  { step: 'stop', reason: 'it runs under StopTarget', restore: under('StopTarget'), vmi: guest },
  { step: 'none', reason: 'it is complete', restore: over, vm: freed },
  { step: 'unlock', reason: 'it is complete, but the VM is locked', restore: over, vm: written },
  { step: 'discard', reason: 'it is complete, and a slow controller has created a VM', restore: over, vm: made },
  { step: 'none', reason: 'it has failed', restore: failed },
  { step: 'discard', reason: 'it has failed, but has created an incomplete VM', restore: failed, vm: made },
  { step: 'unlock', reason: 'it has failed, but the VM is locked', restore: failed, vm: locked },
  { step: 'unlock', reason: 'it is being deleted, with a locked VM', restore: going, vm: locked },
  { step: 'discard', reason: 'it is being deleted, with an incomplete VM', restore: going, vm: made },
  { step: 'release', reason: 'it is being deleted', restore: going },
  {
    step: 'none',
    reason: 'it is being deleted without finalizers',
    restore: { ...going, metadata: { ...going.metadata, finalizers: [] } },
  },
]

suite('decide()', () => {
  for (const { step, reason, now = soon, ...observed } of rows) {
    test(`returns ${step}: ${reason}`, () => assert.equal(decide({ ...all, ...observed }, now).kind, step))
  }
})
