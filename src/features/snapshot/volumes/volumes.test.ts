import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { dataVolumes } from '#api/cdi/v1beta1/resources.ts'
import { virtualMachineClones } from '#api/clone/v1beta1/resources.ts'
import { persistentVolumeClaims, pods } from '#api/core/v1/resources.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { virtualMachineSnapshots } from '#api/snapshot/v1beta1/resources.ts'
import { volumeSnapshotClasses, volumeSnapshots } from '#api/snapshot-storage/v1/resources.ts'
import { found, until } from '#features/cluster.fixture.ts'
import { startImportCluster } from '#features/data-volume/import-cluster.fixture.ts'
import {
  askRestore,
  askSnapshot,
  contentOfSnapshot,
  machine,
  restoreTo,
  restoreWhere,
  snapshotWhere,
  takeSnapshot,
} from '../snapshot.fixture.ts'
import { claimsOf, makeStoredVm, runGuest, runStorage, snapshotKinds, volumesOf } from './stored-vm.fixture.ts'

const namespace = 'default'

suite('volumes of a VM that does not run', () => {
  test('are copied into claims of the snapshot, restored twice, and deleted with it', async () => {
    await using cluster = await startImportCluster()
    await using _node = runStorage(cluster)
    cluster.start('virt-controller')
    await makeStoredVm(cluster)
    const snapshot = await takeSnapshot(cluster)
    assert.deepEqual(snapshot.status?.snapshotVolumes, { includedVolumes: ['root', 'data'] })
    assert.equal(snapshot.status?.indications, undefined)
    const { uid = '' } = snapshot.metadata
    const copies = ['root', 'data'].map((name) => `vmsnapshot-${uid}-volume-${name}`)
    const content = await contentOfSnapshot(cluster, snapshot)
    assert.deepEqual(
      content.spec.volumeBackups?.map(({ steadyvm }) => steadyvm?.copyClaimName),
      copies,
    )
    const vm = await restoreTo(cluster, 'web')
    const restore = await restoreWhere(cluster, () => true)
    const names = ['root', 'data'].map((name) => `restore-${restore.metadata.uid ?? ''}-${name}`)
    assert.deepEqual(await volumesOf(cluster, 'web'), [...names, undefined])
    assert.equal(vm.spec.dataVolumeTemplates?.[0]?.metadata?.name, names[0])
    assert.deepEqual(restore.status?.deletedDataVolumes, ['web-root'])
    assert.deepEqual(
      restore.status?.restores?.map((one) => [one.volumeName, one.persistentVolumeClaim, one.dataVolumeName]),
      [
        ['root', names[0], names[0]],
        ['data', names[1], undefined],
      ],
    )
    for (const name of names) {
      const dataVolume = await cluster.client.get(dataVolumes, { namespace, name })
      assert.deepEqual(
        dataVolume.metadata.ownerReferences?.map((owner) => owner.kind),
        ['VirtualMachine'],
      )
      assert.ok(copies.includes(dataVolume.spec.source?.pvc?.name ?? ''))
    }
    // The claim of a template goes with it, and that of the user stays.
    await until(async () => !(await claimsOf(cluster)).includes('web-root'))
    assert.ok((await claimsOf(cluster)).includes('web-data'))

    await askRestore(cluster, 'web', { name: 'again' })
    await restoreWhere(cluster, ({ status }) => status?.complete === true, 'again')
    await until(async () => (await claimsOf(cluster)).every((name) => name !== names[0]))
    await cluster.client.delete(virtualMachineSnapshots, { namespace, name: 'snap' })
    await until(async () => (await claimsOf(cluster)).every((name) => !copies.includes(name)))
  })

  test('are cloned: both VMs have their own', async () => {
    await using cluster = await startImportCluster()
    await using _node = runStorage(cluster)
    cluster.start('virt-controller')
    await makeStoredVm(cluster)
    await cluster.client.create(virtualMachineClones, {
      metadata: { name: 'twin', namespace },
      spec: { source: machine('web'), target: machine('twin'), volumeNamePolicy: 'PrefixTargetName' },
    })
    await until(async () => (await found(cluster.client, virtualMachineClones, 'twin'))?.status?.phase === 'Succeeded')
    assert.deepEqual(await volumesOf(cluster, 'twin'), ['twin-root', 'twin-data', undefined])
    assert.deepEqual(await volumesOf(cluster, 'web'), ['web-root', 'web-data', undefined])
    // Nothing is left in between.
    await until(async () => (await claimsOf(cluster)).join() === 'twin-data,twin-root,web-data,web-root')
  })

  test('are replaced in place, and given names that exist are refused', async () => {
    await using cluster = await startImportCluster()
    await using _node = runStorage(cluster)
    cluster.start('virt-controller')
    await makeStoredVm(cluster)
    await takeSnapshot(cluster)
    const before = await cluster.client.get(persistentVolumeClaims, { namespace, name: 'web-data' })
    await askRestore(cluster, 'web', { name: 'taken', volumeRestoreOverrides: [{ volumeName: 'data', restoreName: 'web-data' }] })
    const refused = await restoreWhere(
      cluster,
      ({ status }) => status?.conditions?.some(({ type }) => type === 'Failure') === true,
      'taken',
    )
    assert.match(JSON.stringify(refused.status?.conditions), /\\"web-data\\" exists already/)
    await restoreTo(cluster, 'web', { volumeRestorePolicy: 'InPlace' })
    assert.deepEqual(await volumesOf(cluster, 'web'), ['web-root', 'web-data', undefined])
    const after = await cluster.client.get(persistentVolumeClaims, { namespace, name: 'web-data' })
    assert.notEqual(after.metadata.uid, before.metadata.uid)
  })
})

suite('volumes of a guest that runs', () => {
  test('are copied by its node agent, and nothing is left of it but the copies', async () => {
    await using cluster = await startImportCluster()
    await using _storage = runStorage(cluster)
    cluster.start('virt-controller')
    await makeStoredVm(cluster, { runStrategy: 'Manual' })
    await runGuest(cluster)
    const snapshot = await takeSnapshot(cluster)
    assert.deepEqual(snapshot.status?.snapshotVolumes, { includedVolumes: ['root', 'data'] })
    assert.deepEqual(snapshot.status?.indications, ['Online', 'NoGuestAgent'])
    assert.equal(snapshot.status?.creationTime, '2026-01-01T00:00:00Z')
    const { uid = '' } = snapshot.metadata
    assert.deepEqual(await claimsOf(cluster), [`vmsnapshot-${uid}-volume-data`, `vmsnapshot-${uid}-volume-root`, 'web-data', 'web-root'])
    await until(
      async () =>
        (await cluster.client.get(virtualMachineInstances, { namespace, name: 'web' })).status?.steadyvm?.diskCopyState === undefined,
    )
    assert.deepEqual((await cluster.client.list(pods, { namespace, labelSelector: 'kubevirt.io=hotplug-disk' })).items, [])
    assert.equal((await cluster.client.get(virtualMachines, { namespace, name: 'web' })).status?.snapshotInProgress, undefined)
  })

  test('are not kept when their copies fail, or their guest ends', async () => {
    for (const ending of ['copy', 'guest'] as const) {
      await using cluster = await startImportCluster()
      await using _storage = runStorage(cluster, {
        copied: ending === 'copy' ? { phase: 'Failed', message: 'Disk full' } : { phase: 'Copying' },
      })
      cluster.start('virt-controller')
      await makeStoredVm(cluster, { runStrategy: 'Manual' })
      await runGuest(cluster)
      await askSnapshot(cluster)
      if (ending === 'guest') {
        const key = { namespace, name: 'web' }
        await until(
          async () => (await cluster.client.get(virtualMachineInstances, key)).status?.steadyvm?.diskCopyState?.phase === 'Copying',
        )
        await cluster.client.patch(virtualMachineInstances, key, { type: 'merge', body: { status: { phase: 'Failed' } } })
      }
      const failed = await snapshotWhere(cluster, ({ status }) => status?.phase === 'Failed')
      assert.equal(failed.status?.error?.message, ending === 'copy' ? 'Disk full' : 'The guest ended before its volumes were copied')
      await until(async () => (await claimsOf(cluster)).join() === 'web-data,web-root')
      assert.equal((await cluster.client.get(virtualMachines, { namespace, name: 'web' })).status?.snapshotInProgress, undefined)
    }
  })
})

suite('volumes whose driver takes snapshots', () => {
  test('are in VolumeSnapshots, also of a guest that runs, and restored as their clones', async () => {
    await using cluster = await startImportCluster('Immediate', snapshotKinds)
    const { client } = cluster
    await client.create(volumeSnapshotClasses, {
      metadata: { name: 'fast' },
      driver: 'steadyvm.io/local',
      deletionPolicy: 'Delete',
    } as never)
    await using _storage = runStorage(cluster, { copied: { phase: 'Held', quiesce: 'GuestAgent' } })
    cluster.start('virt-controller')
    await makeStoredVm(cluster, { runStrategy: 'Manual' })
    await runGuest(cluster)
    const snapshot = await takeSnapshot(cluster)
    assert.deepEqual(snapshot.status?.indications, ['Online', 'GuestAgent'])
    const content = await contentOfSnapshot(cluster, snapshot)
    const names = ['root', 'data'].map((name) => `vmsnapshot-${snapshot.metadata.uid ?? ''}-volume-${name}`)
    assert.deepEqual(
      content.status?.volumeSnapshotStatus,
      names.map((volumeSnapshotName) => ({ volumeSnapshotName, creationTime: '2026-01-01T00:00:00Z', readyToUse: true })),
    )
    const [first] = (await client.list(volumeSnapshots, { namespace })).items
    assert.equal(first?.spec.volumeSnapshotClassName, 'fast')
    await restoreTo(cluster, 'copy')
    for (const [index, name = ''] of (await volumesOf(cluster, 'copy')).slice(0, 2).entries()) {
      const { spec } = await client.get(persistentVolumeClaims, { namespace, name })
      assert.deepEqual(spec?.dataSource, { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: names[index] })
      assert.equal(spec?.resources?.requests?.['storage'], '80Mi')
    }
  })
})
