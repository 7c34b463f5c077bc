import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachineRestore } from '#api/snapshot/v1beta1/virtual-machine-restore.ts'
import type { VirtualMachineSnapshot } from '#api/snapshot/v1beta1/virtual-machine-snapshot.ts'
import { validateRestore, validateSnapshot } from './admission.ts'

const web = { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' }

function snapshotOf(spec: Partial<VirtualMachineSnapshot['spec']>): VirtualMachineSnapshot {
  return { metadata: { name: 's' }, spec: { source: web, ...spec } }
}

function restoreOf(spec: Partial<VirtualMachineRestore['spec']>, status?: VirtualMachineRestore['status']): VirtualMachineRestore {
  const whole = { metadata: { name: 'r' }, spec: { target: web, virtualMachineSnapshotName: 's', ...spec } }
  return status === undefined ? whole : { ...whole, status }
}

suite('validateSnapshot()', () => {
  const rows = [
    { reason: 'as it should be', spec: {}, fields: [] },
    { reason: 'of no group', spec: { source: { kind: 'VirtualMachine', name: 'web' } }, fields: ['spec.source.apiGroup'] },
    { reason: 'of another group', spec: { source: { ...web, apiGroup: 'apps' } }, fields: ['spec.source.apiGroup'] },
    { reason: 'of another kind', spec: { source: { ...web, kind: 'Pod' } }, fields: ['spec.source.kind'] },
    { reason: 'with deletion policy Retain', spec: { deletionPolicy: 'Retain' }, fields: [] },
    { reason: 'with an invalid policy', spec: { deletionPolicy: 'delete' as never }, fields: ['spec.deletionPolicy'] },
    { reason: 'with a deadline', spec: { failureDeadline: '1m30s' }, fields: [] },
    { reason: 'with a deadline of 0', spec: { failureDeadline: '0' }, fields: [] },
    { reason: 'with an invalid deadline', spec: { failureDeadline: 'soon' }, fields: ['spec.failureDeadline'] },
    { reason: 'with a deadline in the past', spec: { failureDeadline: '-5m' }, fields: ['spec.failureDeadline'] },
  ] as const
  for (const { reason, spec, fields } of rows) {
    test(`judges a snapshot ${reason}`, () =>
      assert.deepEqual(
        validateSnapshot(snapshotOf(spec), undefined).map(({ field }) => field),
        fields,
      ))
  }

  test('refuses changes of the spec only', () => {
    assert.deepEqual(validateSnapshot({ ...snapshotOf({}), status: {} }, snapshotOf({})), [])
    assert.equal(validateSnapshot(snapshotOf({ deletionPolicy: 'Retain' }), snapshotOf({})).length, 1)
  })
})

suite('validateRestore()', () => {
  const rows = [
    { reason: 'as it should be', spec: {}, fields: [] },
    { reason: 'of another kind', spec: { target: { ...web, kind: 'Pod' } }, fields: ['spec.target.kind'] },
    { reason: 'to an invalid VM name', spec: { target: { ...web, name: 'Bad_Name' } }, fields: ['spec.target.name'] },
    {
      reason: 'with patches',
      spec: { patches: ['{"op":"remove","path":"/spec/preference"}', '[{"op":"add","path":"/metadata/labels/a","value":"b:c"}]'] },
      fields: [],
    },
    {
      reason: 'with another name',
      spec: { patches: ['{"op":"replace","path":"/metadata/name","value":"x"}'] },
      fields: ['spec.patches[0]'],
    },
    {
      reason: 'with policies and settings of volumes',
      spec: {
        volumeRestorePolicy: 'InPlace' as const,
        volumeOwnershipPolicy: 'None' as const,
        volumeRestoreOverrides: [{ volumeName: 'a', restoreName: 'b' }],
      },
      fields: [],
    },
    {
      reason: 'with unknown policies',
      spec: { volumeRestorePolicy: 'Inplace' as never, volumeOwnershipPolicy: 'VM' as never },
      fields: ['spec.volumeRestorePolicy', 'spec.volumeOwnershipPolicy'],
    },
    {
      reason: 'with invalid settings of volumes',
      spec: { volumeRestoreOverrides: [{ restoreName: 'A_B' }] },
      fields: ['spec.volumeRestoreOverrides[0].volumeName', 'spec.volumeRestoreOverrides[0].restoreName'],
    },
    { reason: 'with an invalid patch', spec: { patches: ['{', '3'] }, fields: ['spec.patches[0]', 'spec.patches[1]'] },
  ]
  for (const { reason, spec, fields } of rows) {
    test(`judges a restore ${reason}`, () =>
      assert.deepEqual(
        validateRestore(restoreOf(spec), undefined, []).map(({ field }) => field),
        fields,
      ))
  }

  test('allows one restore of a VM at a time', () => {
    const others = [restoreOf({}), restoreOf({}, { complete: true }), restoreOf({ target: { ...web, name: 'other' } })]
    assert.equal(validateRestore(restoreOf({}), undefined, others).length, 1)
    assert.equal(validateRestore(restoreOf({}), undefined, others.slice(1)).length, 0)
  })
})
