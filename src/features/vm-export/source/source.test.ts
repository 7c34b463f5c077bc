import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { Pod, PodPhase } from '#api/core/v1/pod.ts'
import type { VirtualMachineInstance, VirtualMachineInstancePhase } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { VirtualMachineExport } from '#api/export/v1/virtual-machine-export.ts'
import type { VirtualMachineSnapshotContent, VolumeBackup } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import type { VolumeSnapshot } from '#api/snapshot-storage/v1/volume-snapshot.ts'
import { controllerOf } from '#apimachinery/meta/owner-references.ts'
import type { VirtualMachineSnapshot } from '#api/snapshot/v1beta1/virtual-machine-snapshot.ts'
import { claimSource } from './claim-source.ts'
import { claimsInUse } from './claims-in-use.ts'
import { holdsDisk, isFilled } from './content.ts'
import { backupsToExport, claimNameOfBackup, snapshotSource, type SnapshotVolume } from './snapshot-source.ts'
import type { SourceState } from './source.ts'
import { machineSource, type ObservedMachine } from './vm-source.ts'

const key = { namespace: 'n', name: 'a' }
const owner = { apiVersion: 'cdi.kubevirt.io/v1beta1', kind: 'DataVolume', name: 'a', uid: 'd', controller: true }

function claimOf(more: Partial<PersistentVolumeClaim['metadata']> = {}, spec: PersistentVolumeClaim['spec'] = {}): PersistentVolumeClaim {
  return { metadata: { ...key, ...more }, spec, status: { phase: 'Bound' } }
}
function dataVolume(phase: string, contentType?: string): DataVolume {
  return { metadata: key, spec: contentType === undefined ? {} : { contentType }, status: { phase } }
}

suite('holdsDisk()', () => {
  const noted = (type: string): PersistentVolumeClaim => claimOf({ annotations: { 'cdi.kubevirt.io/storage.contentType': type } })
  const rows = [
    ['a block device', claimOf({}, { volumeMode: 'Block' }), undefined, false, true],
    ['a disk of CDI', noted('kubevirt'), undefined, false, true],
    ['a disk of CDI without a word', noted(''), undefined, false, true],
    ['an archive of CDI, also of a VM', noted('archive'), undefined, true, false],
    ['a disk by its DataVolume', claimOf(), dataVolume('Succeeded'), false, true],
    ['an archive by its DataVolume', claimOf(), dataVolume('Succeeded', 'archive'), true, false],
    ['any claim', claimOf(), undefined, false, false],
    ['any claim that is a disk of the VM', claimOf(), undefined, true, true],
  ] as const
  for (const [what, claim, filledBy, isDiskOfVm, expected] of rows)
    test(what, () => assert.equal(holdsDisk(claim, filledBy, isDiskOfVm), expected))
})

test('isFilled() waits for the end of a DataVolume', () => {
  const owned = claimOf({ ownerReferences: [owner] })
  assert.deepEqual(
    [
      isFilled(claimOf(), undefined),
      isFilled(owned, undefined),
      isFilled(owned, dataVolume('ImportInProgress')),
      isFilled(owned, dataVolume('Succeeded')),
    ],
    [true, false, false, true],
  )
})

test('claimsInUse() counts guests from their creation on, and pods of others, until they end', () => {
  const vmi = (claimName: string, phase?: VirtualMachineInstancePhase): VirtualMachineInstance => ({
    metadata: key,
    spec: { domain: { devices: {} }, volumes: [{ name: 'v', persistentVolumeClaim: { claimName } }] },
    ...(phase === undefined ? {} : { status: { phase } }),
  })
  const pod = (claimName: string, phase: PodPhase, kind = 'X'): Pod => ({
    metadata: { ...key, ownerReferences: [{ apiVersion: 'v1', kind, name: 'x', uid: 'x', controller: true }] },
    spec: { containers: [], volumes: [{ name: 'v', persistentVolumeClaim: { claimName } }] },
    status: { phase },
  })
  const vmis = [vmi('new'), vmi('runs', 'Running'), vmi('ended', 'Succeeded'), vmi('failed', 'Failed')]
  const pods = [pod('p', 'Running'), pod('waits', 'Pending'), pod('over', 'Succeeded'), pod('exported', 'Running', 'VirtualMachineExport')]
  assert.deepEqual([...claimsInUse(vmis, pods)], ['new', 'runs', 'p', 'waits'])
})

const outcome = ({ isAvailable, isSkipped = false, isPolled = false, ready, own }: SourceState): readonly unknown[] => [
  isAvailable,
  isSkipped,
  isPolled,
  ready.reason,
  own?.reason,
]

suite('claimSource()', () => {
  const volume = { name: 'a', claim: claimOf(), isDisk: true, isFilled: true }
  const pending = { ...volume, claim: { ...claimOf(), status: { phase: 'Pending' } } }
  const lost = { ...volume, claim: { ...claimOf(), status: { phase: 'Lost' } } }
  const rows = [
    ['missing', undefined, false, [false, false, false, 'Initializing', 'PVCNotFound']],
    ['free', volume, false, [true, false, false, 'Initializing', 'PVCBound']],
    ['in use', volume, true, [false, false, true, 'InUse', 'PVCBound']],
    ['being filled', { ...volume, isFilled: false }, false, [false, false, true, 'PVCPending', 'PVCBound']],
    // The pod is its first consumer.
    ['unbound', pending, false, [true, false, false, 'Initializing', 'PVCPending']],
    ['lost', lost, false, [true, false, false, 'Initializing', 'Unknown']],
  ] as const
  for (const [what, found, isInUse, expected] of rows)
    test(what, () => assert.deepEqual(outcome(claimSource({ ...key, volume: found, isInUse })), expected))
})

suite('machineSource()', () => {
  const vm: VirtualMachine = { metadata: key, spec: { template: { spec: { domain: { devices: {} } } } } }
  const volume = { name: 'a', claim: claimOf(), isDisk: true, isFilled: true, isInUse: false }
  const base: ObservedMachine = { ...key, vm, volumes: [volume], isIncomplete: false, isRunning: false }
  const rows = [
    ['stopped', {}, [true, false, false, 'Initializing', undefined]],
    ['missing', { vm: undefined, volumes: [] }, [false, true, false, 'VMNotFound', undefined]],
    ['without volumes', { volumes: [] }, [false, true, false, 'VMNoVolumes', undefined]],
    ['whose claim is not there yet', { volumes: [], isIncomplete: true }, [false, false, true, 'VolumesNotPopulated', undefined]],
    ['that is being filled', { volumes: [{ ...volume, isFilled: false }] }, [false, false, true, 'VolumesNotPopulated', undefined]],
    ['running', { isRunning: true }, [false, false, false, 'InUse', undefined]],
    ['whose disk another one uses', { volumes: [{ ...volume, isInUse: true }] }, [false, false, true, 'InUse', undefined]],
    ['whose instance type is missing', { vm: undefined, problem: 'x' }, [false, false, false, 'Unknown', undefined]],
  ] as const
  for (const [what, more, expected] of rows) test(what, () => assert.deepEqual(outcome(machineSource({ ...base, ...more })), expected))
})

suite('snapshotSource()', () => {
  const vmExport: VirtualMachineExport = {
    metadata: { namespace: 'n', name: 'e', uid: 'export' },
    spec: { source: { apiGroup: 'snapshot.kubevirt.io', kind: 'VirtualMachineSnapshot', name: 's' } },
  }
  const snapshot = (readyToUse: boolean, more: Partial<VirtualMachineSnapshot['metadata']> = {}): VirtualMachineSnapshot => ({
    metadata: { ...key, ...more },
    spec: { source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' } },
    status: { readyToUse },
  })
  const persistentVolumeClaim = {
    metadata: { name: 'root' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  }
  const copied: VolumeBackup = { volumeName: 'v', persistentVolumeClaim, steadyvm: { copyClaimName: 'copy' } }
  const taken: VolumeBackup = { volumeName: 'v', persistentVolumeClaim, volumeSnapshotName: 'taken' }
  const volumeSnapshot: VolumeSnapshot = { metadata: { name: 'taken' }, spec: { source: {} }, status: { restoreSize: '2Gi' } }
  const look = (backup: VolumeBackup, more: Partial<SnapshotVolume> = {}): SnapshotVolume => ({
    backup,
    claimName: claimNameOfBackup(vmExport, backup),
    claim: undefined,
    volumeSnapshot: undefined,
    isInUse: false,
    ...more,
  })
  const made = (more: Partial<PersistentVolumeClaim['metadata']> = {}, uid = 'export'): PersistentVolumeClaim =>
    claimOf({ name: 'e-root', ownerReferences: [{ ...owner, kind: 'VirtualMachineExport', uid }], ...more })
  const deletionTimestamp = '2026-01-01T00:00:00Z'
  const vm: VirtualMachine = { metadata: key, spec: { template: { spec: { domain: { devices: {} } } } } }
  const rows: readonly (readonly [string, VirtualMachineSnapshot | undefined, readonly SnapshotVolume[], readonly unknown[]])[] = [
    ['missing', undefined, [], [false, true, false, 'VMSnapshotNotFound', 'VMSnapshotNoVolumes']],
    ['in progress', snapshot(false), [], [false, false, false, 'NotAllPVCsCreated', 'NotAllPVCsCreated']],
    ['being deleted', snapshot(true, { deletionTimestamp }), [], [false, false, false, 'NotAllPVCsCreated', 'NotAllPVCsCreated']],
    ['ready, without disks', snapshot(true), [], [false, true, false, 'Initializing', 'VMSnapshotNoVolumes']],
    ['with a copy', snapshot(true), [look(copied, { claim: claimOf() })], [true, false, false, 'Initializing', 'AllPVCsReady']],
    ['whose copy is gone', snapshot(true), [look(copied)], [false, false, true, 'NotAllPVCsCreated', 'NotAllPVCsCreated']],
    [
      'whose copy goes',
      snapshot(true),
      [look(copied, { claim: claimOf({ deletionTimestamp }) })],
      [false, false, true, 'NotAllPVCsCreated', 'NotAllPVCsCreated'],
    ],
    [
      'whose copy a guest has',
      snapshot(true),
      [look(copied, { claim: claimOf(), isInUse: true })],
      [false, false, true, 'InUse', 'AllPVCsReady'],
    ],
    ['to be restored', snapshot(true), [look(taken, { volumeSnapshot })], [false, false, false, 'Initializing', 'NotAllPVCsCreated']],
    ['that is gone', snapshot(true), [look(taken)], [false, false, true, 'NotAllPVCsCreated', 'NotAllPVCsCreated']],
    ['restored', snapshot(true), [look(taken, { claim: made() })], [true, false, false, 'Initializing', 'AllPVCsReady']],
    [
      // The pod is the first consumer.
      'restored to a claim that waits for a pod',
      snapshot(true),
      [look(taken, { claim: { ...made(), status: { phase: 'Pending' } } })],
      [true, false, false, 'Initializing', 'NotAllPVCsReady'],
    ],
    [
      'whose claim is of another one',
      snapshot(true),
      [look(taken, { claim: made({}, 'before') })],
      [false, false, true, 'NotAllPVCsCreated', 'NotAllPVCsCreated'],
    ],
  ]
  for (const [what, found, volumes, expected] of rows)
    test(what, () => assert.deepEqual(outcome(snapshotSource({ vmExport, snapshot: found, volumes, hardware: { vm } })), expected))

  test('makes a claim of the size that the driver asks for, which goes with the export', () => {
    const [claim] = snapshotSource({ vmExport, snapshot: snapshot(true), volumes: [look(taken, { volumeSnapshot })] }).missing ?? []
    assert.deepEqual([claim?.metadata.name, controllerOf(claim ?? {})?.uid], ['e-root', 'export'])
    assert.deepEqual(claim?.spec, {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '2Gi' } },
      dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'taken' },
    })
  })

  test('offers a volume by the name that the VM has for it, once for each claim', () => {
    const content: VirtualMachineSnapshotContent = {
      metadata: {},
      spec: { source: {}, volumeBackups: [copied, { ...copied, volumeName: 'w' }] },
    }
    const backups = backupsToExport(content)
    assert.equal(backups.length, 1)
    const { volumes } = snapshotSource({
      vmExport,
      snapshot: snapshot(true),
      volumes: [look(copied, { claim: claimOf({ name: 'copy' }) })],
    })
    assert.deepEqual(
      volumes.map(({ name, claim, isDisk }) => [name, claim.metadata.name, isDisk]),
      [['root', 'copy', true]],
    )
    const archive = {
      ...copied,
      persistentVolumeClaim: { metadata: { name: 'root', annotations: { 'cdi.kubevirt.io/storage.contentType': 'archive' } } },
    }
    const other = snapshotSource({ vmExport, snapshot: snapshot(true), volumes: [look(archive, { claim: claimOf() })] })
    assert.equal(other.volumes[0]?.isDisk, false)
  })
})
