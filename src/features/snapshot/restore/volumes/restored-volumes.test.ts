import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import type { VirtualMachineSpec } from '#api/kubevirt/v1/virtual-machine.ts'
import type { VirtualMachineRestore } from '#api/snapshot/v1beta1/virtual-machine-restore.ts'
import type { VirtualMachineSnapshotContent } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import { decideFilling, unadopted, type RestoredLook } from './decide-filling.ts'
import { obsoleteDataVolumes, restoredVolumes, restoringDataVolume, withRestoredVolumes } from './restored-volumes.ts'

const spec: VirtualMachineSpec = {
  dataVolumeTemplates: [{ metadata: { name: 'web-root' }, spec: { source: { blank: {} } } }],
  template: {
    spec: {
      domain: { devices: {} },
      volumes: [
        { name: 'root', dataVolume: { name: 'web-root' } },
        { name: 'other', dataVolume: { name: 'imported', hotpluggable: true } },
        { name: 'data', persistentVolumeClaim: { claimName: 'web-data', readOnly: true } },
        { name: 'left', persistentVolumeClaim: { claimName: 'left-out' } },
      ],
    },
  },
}
const claims: Readonly<Record<string, string>> = { root: 'web-root', other: 'imported', data: 'web-data' }
const content: VirtualMachineSnapshotContent = {
  metadata: { name: 'content' },
  spec: {
    source: { virtualMachine: { metadata: { name: 'web', namespace: 'default' }, spec } },
    volumeBackups: Object.entries(claims).map(([volumeName, name]) => ({
      volumeName,
      persistentVolumeClaim: {
        metadata: { name, labels: { os: 'linux' }, annotations: { 'cdi.kubevirt.io/storage.pod.phase': 'Succeeded', team: 'a' } },
        spec: { storageClassName: 'local', resources: { requests: { storage: '1Gi' } } },
      },
      steadyvm: { copyClaimName: `copy-${volumeName}` },
    })),
  },
}
const restoreOf = (change: Partial<VirtualMachineRestore['spec']> = {}): VirtualMachineRestore => ({
  metadata: { name: 'back', namespace: 'default', uid: 'u' },
  spec: { target: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' }, virtualMachineSnapshotName: 'snap', ...change },
})
const namesFor = (change: Partial<VirtualMachineRestore['spec']>): string[] =>
  restoredVolumes(restoreOf(change), content).map(({ name }) => name)

suite('restoredVolumes()', () => {
  const rows: readonly (readonly [string, Partial<VirtualMachineRestore['spec']>, readonly string[]])[] = [
    ['after the restore', {}, ['restore-u-root', 'restore-u-other', 'restore-u-data']],
    ['after the target', { volumeRestorePolicy: 'PrefixTargetName' }, ['web-root', 'web-other', 'web-data']],
    ['as they were', { volumeRestorePolicy: 'InPlace' }, ['web-root', 'imported', 'web-data']],
    [
      'as the user says',
      { volumeRestoreOverrides: [{ volumeName: 'data', restoreName: 'mine' }] },
      ['restore-u-root', 'restore-u-other', 'mine'],
    ],
  ]
  for (const [how, change, names] of rows) test(`names volumes ${how}`, () => assert.deepEqual(namesFor(change), names))

  test('shortens names of long targets', () => {
    const target = { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'w'.repeat(70) }
    const names = namesFor({ volumeRestorePolicy: 'PrefixTargetName', target })
    assert.deepEqual(new Set(names.map(({ length }) => length)), new Set([63]))
    assert.equal(new Set(names).size, 3)
  })
})

suite('withRestoredVolumes()', () => {
  const restored = restoredVolumes(restoreOf(), content)
  const after = withRestoredVolumes(spec, restored)

  test('names the restored volumes, and keeps what was left out', () =>
    assert.deepEqual(after.template.spec.volumes, [
      { name: 'root', dataVolume: { name: 'restore-u-root' } },
      { name: 'other', persistentVolumeClaim: { claimName: 'restore-u-other', hotpluggable: true } },
      { name: 'data', persistentVolumeClaim: { claimName: 'restore-u-data', readOnly: true } },
      { name: 'left', persistentVolumeClaim: { claimName: 'left-out' } },
    ]))

  test('renames the templates, whose old DataVolumes are obsolete', () => {
    assert.deepEqual(
      after.dataVolumeTemplates?.map(({ metadata }) => metadata?.name),
      ['restore-u-root'],
    )
    assert.deepEqual(obsoleteDataVolumes(spec, after), ['web-root'])
    assert.deepEqual(obsoleteDataVolumes(spec, spec), [])
  })
})

suite('restoringDataVolume()', () => {
  const [root] = restoredVolumes(restoreOf(), content)

  test('copies the claim of the snapshot, with what users wrote on the old one', () => {
    assert.ok(root !== undefined)
    const { metadata, spec: made } = restoringDataVolume(
      restoreOf({ volumeRestoreOverrides: [{ volumeName: 'root', labels: { os: 'bsd' }, annotations: { team: 'b' } }] }),
      content,
      root,
      undefined,
    )
    assert.deepEqual(metadata.labels, {
      os: 'bsd',
      'restore.kubevirt.io/source-vm-name': 'web',
      'restore.kubevirt.io/source-vm-namespace': 'default',
    })
    assert.deepEqual(metadata.annotations, {
      team: 'b',
      'cdi.kubevirt.io/storage.bind.immediate.requested': '',
      'restore.kubevirt.io/name': 'back',
      'restore.kubevirt.io/lastRestoreUID': 'back-u',
    })
    assert.deepEqual(made, {
      source: { pvc: { namespace: 'default', name: 'copy-root' } },
      pvc: { storageClassName: 'local', resources: { requests: { storage: '1Gi' } } },
    })
  })

  test('names the VolumeSnapshot as source, in the size that the driver asks for', () => {
    assert.ok(root !== undefined)
    const { steadyvm: _, ...backup } = root.backup
    const volume = { ...root, backup: { ...backup, volumeSnapshotName: 'taken' } }
    assert.deepEqual(restoringDataVolume(restoreOf(), content, volume, '2Gi').spec, {
      pvc: {
        storageClassName: 'local',
        resources: { requests: { storage: '2Gi' } },
        dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'taken' },
      },
    })
  })
})

suite('decideFilling()', () => {
  const [volume] = restoredVolumes(restoreOf(), content)
  assert.ok(volume !== undefined)
  const owner = { apiVersion: 'snapshot.kubevirt.io/v1beta1', kind: 'VirtualMachineRestore', name: 'back', uid: 'u' }
  const dataVolume = (phase: string, mark = 'back-u'): DataVolume => ({
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataVolume',
    metadata: { name: 'x', uid: 'dv', annotations: { 'restore.kubevirt.io/lastRestoreUID': mark }, ownerReferences: [owner] },
    spec: {},
    status: { phase },
  })
  const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'x' }, spec: {} } as const
  const bySnapshot = { ...volume, backup: { ...volume.backup, volumeSnapshotName: 'taken' } }
  const inPlace = restoreOf({ volumeRestorePolicy: 'InPlace' })
  const rows: readonly (readonly [string, string | undefined, Partial<RestoredLook>, VirtualMachineRestore?, boolean?])[] = [
    ['there is nothing', 'createVolumes', {}],
    ['a worker copies', 'wait', { dataVolume: dataVolume('CloneInProgress') }],
    ['a worker cannot copy', 'fail', { dataVolume: dataVolume('Failed') }],
    ['it is filled', undefined, { dataVolume: dataVolume('Succeeded') }],
    ['a copy waits for a consumer', 'wait', { dataVolume: dataVolume('WaitForFirstConsumer') }],
    ['a driver fills it when a guest uses it', undefined, { volume: bySnapshot, dataVolume: dataVolume('WaitForFirstConsumer') }],
    ['a claim has the name', 'fail', { claim }],
    ['a volume of another restore has the name', 'fail', { dataVolume: dataVolume('Succeeded', 'other') }],
    ['a claim is to be replaced', 'removeVolumes', { claim }, inPlace],
    ['a claim is being deleted', 'wait', { claim: { ...claim, metadata: { ...claim.metadata, deletionTimestamp: 'now' } } }, inPlace],
    ['another VM has the claim', 'fail', { claim }, inPlace, false],
  ]
  for (const [reason, kind, look, restore = restoreOf(), replaces = true] of rows) {
    test(`${kind ?? 'nothing'}: ${reason}`, () =>
      assert.equal(decideFilling(restore, [{ volume, dataVolume: undefined, claim: undefined, ...look }], replaces)?.kind, kind))
  }

  test('volumes belong to the restore until the VM has them', () => {
    const looks = [{ volume, dataVolume: dataVolume('Succeeded'), claim: undefined }]
    assert.equal(unadopted(restoreOf(), looks).length, 1)
    assert.equal(unadopted({ ...restoreOf(), metadata: { uid: 'other' } }, looks).length, 0)
  })
})
