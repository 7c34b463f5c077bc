import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { dataVolumes, storageProfiles } from '#api/cdi/v1beta1/resources.ts'
import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import { persistentVolumeClaims, pods, secrets } from '#api/core/v1/resources.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { found, until } from '#features/cluster.fixture.ts'
import type { ImportTask } from '#importer/index.ts'
import { bindClaim, endWorker, importOf, runWorker, startImportCluster, variable, workerOfClaim } from './import-cluster.fixture.ts'
import { names } from './names.ts'

const key = { namespace: 'default', name: 'disk' }

suite('A DataVolume', () => {
  test('gets a claim as its StorageProfile says, and a worker that fills it, and succeeds', async () => {
    await using cluster = await startImportCluster()
    const { client } = cluster
    cluster.start('virt-controller')
    await until(async () => (await client.list(storageProfiles)).items[0]?.status?.claimPropertySets !== undefined)
    await client.create(dataVolumes, importOf('disk', { http: { url: 'http://u:p@images/a.qcow2', checksum: 'md5:00' } }, '94Mi'))
    const claim = await bindClaim(cluster, 'disk')
    assert.deepEqual(claim.spec?.accessModes, ['ReadWriteMany'])
    assert.equal(claim.spec?.resources?.requests?.['storage'], '100Mi')
    assert.equal(claim.metadata.annotations?.[names.endpoint], 'http://images/a.qcow2')
    const pod = await workerOfClaim(cluster, 'disk')
    const task = JSON.parse(variable(pod, 'IMPORTER_TASK') ?? '') as ImportTask
    assert.equal(task.source.kind, 'http')
    assert.deepEqual([task.volumeBytes, task.overhead], [100 << 20, 0.06])
    const secretName = pod.spec.volumes?.find(({ name }) => name === 'serving')?.secret?.secretName ?? ''
    await until(async () => (await found(client, secrets, secretName))?.data?.['tls.key'] !== undefined)
    await runWorker(cluster, 'disk')
    cluster.progress.percent = 12.5
    await until(async () => (await client.get(dataVolumes, key)).status?.progress === '12.50%')
    assert.equal((await client.get(dataVolumes, key)).status?.phase, 'ImportInProgress')
    const labels = { 'instancetype.kubevirt.io/default-preference': 'fedora' }
    await endWorker(cluster, 'disk', 0, { reason: 'Completed', message: '', fatal: false, labels })
    await until(async () => (await client.get(dataVolumes, key)).status?.phase === 'Succeeded')
    const filled = await client.get(persistentVolumeClaims, key)
    assert.equal(filled.metadata.annotations?.[names.podPhase], 'Succeeded')
    assert.equal(filled.metadata.labels?.['instancetype.kubevirt.io/default-preference'], 'fedora')
    await until(async () => (await client.list(pods, { namespace: 'default' })).items.length === 0)
    await until(async () => (await client.list(secrets, { namespace: 'default' })).items.length === 0)
    const done = await client.get(dataVolumes, key)
    assert.equal(findCondition(done.status?.conditions, 'Ready')?.status, 'True')
    assert.equal(done.status?.progress, '100.0%')
  })

  test('says why its worker fails, and fails itself when another try is useless', async () => {
    await using cluster = await startImportCluster()
    const { client } = cluster
    cluster.start('virt-controller')
    await client.create(dataVolumes, importOf('disk', { http: { url: 'http://images/a.qcow2' } }, '64Mi'))
    await bindClaim(cluster, 'disk')
    await workerOfClaim(cluster, 'disk')
    await endWorker(cluster, 'disk', 1, { reason: 'NotFound', message: 'the server answered 404', fatal: false })
    const told = async (): Promise<DataVolume> => client.get(dataVolumes, key)
    await until(async () => findCondition((await told()).status?.conditions, 'Running')?.message === 'the server answered 404')
    assert.equal((await told()).status?.restartCount, 1)
    assert.notEqual((await told()).status?.phase, 'Failed')
    await endWorker(cluster, 'disk', 2, { reason: 'ChecksumMismatch', message: 'wanted a, got b', fatal: true })
    await until(async () => (await told()).status?.phase === 'Failed')
    assert.equal(findCondition((await told()).status?.conditions, 'Ready')?.message, 'wanted a, got b')
    await until(async () => (await client.list(pods, { namespace: 'default' })).items.length === 0)
  })

  test('takes over a claim only where that is asked for', async () => {
    await using cluster = await startImportCluster()
    const { client } = cluster
    const claim = { metadata: key, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } } }
    await client.create(persistentVolumeClaims, claim)
    cluster.start('virt-controller')
    const refused = importOf('disk', { blank: {} }, '64Mi')
    await client.create(dataVolumes, refused)
    await until(async () => findCondition((await client.get(dataVolumes, key)).status?.conditions, 'Ready')?.reason === 'ErrResourceExists')
    await client.patch(dataVolumes, key, { type: 'merge', body: { metadata: { annotations: { [names.allowAdoption]: 'true' } } } })
    await until(async () => (await found(client, persistentVolumeClaims, 'disk'))?.metadata.ownerReferences?.[0]?.kind === 'DataVolume')
    await bindClaim(cluster, 'disk')
    await until(async () => (await client.get(dataVolumes, key)).status?.phase === 'Succeeded')
    assert.deepEqual((await client.list(pods, { namespace: 'default' })).items, [])
  })
})
