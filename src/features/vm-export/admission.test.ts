import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachineExport, VirtualMachineExportSpec } from '#api/export/v1/virtual-machine-export.ts'
import { validateExport } from './admission.ts'

const exportOf = (spec: VirtualMachineExportSpec): VirtualMachineExport => ({ metadata: { name: 'e' }, spec })
const vm = { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' }
const claim = { kind: 'PersistentVolumeClaim', name: 'disk' }
const snapshot = { apiGroup: 'snapshot.kubevirt.io', kind: 'VirtualMachineSnapshot', name: 's' }

suite('validateExport()', () => {
  const rows: readonly (readonly [string, VirtualMachineExportSpec, readonly string[]])[] = [
    ['of a VM', { source: vm }, []],
    ['of a claim, as virtctl writes it', { source: { ...claim, apiGroup: '' } }, []],
    ['of a claim', { source: claim }, []],
    ['of a snapshot', { source: snapshot }, []],
    ['of another group', { source: { ...vm, apiGroup: 'x' } }, ['spec.source.APIGroup']],
    ['of a VM without a group', { source: { kind: 'VirtualMachine', name: 'web' } }, ['spec.source.APIGroup']],
    ['of a claim of a group', { source: { ...claim, apiGroup: 'v1' } }, ['spec.source.APIGroup']],
    ['of nothing', { source: { ...vm, name: '' } }, ['spec.source.name']],
    ['of something else', { source: { kind: 'Pod', name: 'p' } }, ['spec.source.kind']],
    ['of a backup', { source: { apiGroup: 'backup.kubevirt.io', kind: 'VirtualMachineBackup', name: 'b' } }, ['spec.source.kind']],
    ['of a template', { source: { apiGroup: 'template.kubevirt.io', kind: 'VirtualMachineTemplate', name: 't' } }, ['spec.source.kind']],
    ['that lives for a while', { source: vm, ttlDuration: '1h30m' }, []],
    ['that never lives', { source: vm, ttlDuration: '-1h' }, ['spec.ttlDuration']],
    ['that lives for no time', { source: vm, ttlDuration: 'long' }, ['spec.ttlDuration']],
  ]
  for (const [what, spec, fields] of rows)
    test(what, () =>
      assert.deepEqual(
        validateExport(exportOf(spec), undefined).map(({ field }) => field),
        fields,
      ),
    )
  test('refuses changes', () => {
    assert.deepEqual(validateExport(exportOf({ source: vm }), exportOf({ source: vm })), [])
    assert.equal(validateExport(exportOf({ source: vm }), exportOf({ source: claim })).length, 1)
  })
})
