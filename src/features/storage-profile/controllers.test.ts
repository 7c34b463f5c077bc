import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { cdiConfigs, cdis, storageProfiles } from '#api/cdi/v1beta1/resources.ts'
import { configMaps } from '#api/core/v1/resources.ts'
import { storageClasses } from '#api/storage/v1/resources.ts'
import { isTrue } from '#apimachinery/conditions.ts'
import { found as orUndefined } from '#client/found.ts'
import { startTestCluster, until } from '#features/cluster.fixture.ts'

suite('storage classes and settings', () => {
  test('each class has a profile, which follows what its administrator wishes', async () => {
    await using cluster = await startTestCluster()
    const { client } = cluster
    await client.create(storageClasses, { metadata: { name: 'nfs' }, provisioner: 'nfs.csi.k8s.io' })
    await client.create(storageClasses, { metadata: { name: 'own' }, provisioner: 'example.com/own' })
    cluster.start('virt-controller')
    const status = async (name: string) => (await orUndefined(client.get(storageProfiles, { name })))?.status
    await until(async () => (await status('nfs'))?.conditions !== undefined && (await status('own'))?.conditions !== undefined)
    assert.deepEqual((await status('nfs'))?.claimPropertySets, [{ accessModes: ['ReadWriteMany'], volumeMode: 'Filesystem' }])
    assert.deepEqual(
      [isTrue((await status('own'))?.conditions, 'Recognized'), (await status('own'))?.claimPropertySets],
      [false, undefined],
    )
    const claimPropertySets = [{ accessModes: ['ReadWriteOnce'], volumeMode: 'Block' }]
    await client.patch(storageProfiles, { name: 'own' }, { type: 'merge', body: { spec: { claimPropertySets } } })
    await until(async () => (await status('own'))?.claimPropertySets?.[0]?.volumeMode === 'Block')
    await client.delete(storageClasses, { name: 'nfs' })
    await until(async () => (await orUndefined(client.get(storageProfiles, { name: 'nfs' }))) === undefined)
  })

  test('CDIConfig names the authority of virt-api where only administrators know its address', async () => {
    await using cluster = await startTestCluster()
    const { client } = cluster
    cluster.start('virt-controller')
    const data = { 'ca-bundle': 'certificates' }
    await client.create(configMaps, { metadata: { namespace: 'kubevirt', name: 'kubevirt-ca' }, data })
    const status = async () => (await orUndefined(client.get(cdiConfigs, { name: 'config' })))?.status
    await until(async () => (await status())?.uploadProxyCA === 'certificates')
    assert.equal((await status())?.uploadProxyURL, undefined)
  })

  test('CDIConfig follows the CDI object that has authority, which is told that imports are served', async () => {
    await using cluster = await startTestCluster()
    const { client } = cluster
    cluster.start('virt-controller')
    await until(async () => (await orUndefined(client.get(cdiConfigs, { name: 'config' })))?.status?.filesystemOverhead?.global === '0.06')
    await client.create(cdis, {
      metadata: { name: 'cdi', annotations: { 'cdi.kubevirt.io/configAuthority': '' } },
      spec: { config: { filesystemOverhead: { global: '0.1' }, preallocation: true, uploadProxyURLOverride: 'https://upload' } },
    })
    await until(async () => (await client.get(cdis, { name: 'cdi' })).status?.phase === 'Deployed')
    const config = await until(async () => {
      const now = await client.get(cdiConfigs, { name: 'config' })
      return now.status?.preallocation === true ? now : undefined
    })
    assert.deepEqual([config.status?.filesystemOverhead?.global, config.status?.uploadProxyURL], ['0.1', 'https://upload'])
    await client.patch(cdis, { name: 'cdi' }, { type: 'merge', body: { spec: { config: { filesystemOverhead: null } } } })
    await until(async () => (await client.get(cdiConfigs, { name: 'config' })).status?.filesystemOverhead?.global === '0.06')
  })
})
