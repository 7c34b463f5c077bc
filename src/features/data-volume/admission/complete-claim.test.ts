import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { cdiConfigs, storageProfiles, volumeCloneSources } from '#api/cdi/v1beta1/resources.ts'
import type { PersistentVolumeClaimSpec } from '#api/core/v1/persistent-volume-claim.ts'
import { persistentVolumeClaims } from '#api/core/v1/resources.ts'
import { startTestCluster, type TestCluster } from '#features/cluster.fixture.ts'
import { storageClasses } from '#api/storage/v1/resources.ts'
import { completeClaim } from './complete-claim.ts'

const namespace = 'default'

/** A class whose profile prefers shared devices, a claim, and an object that names it. */
async function startCluster(): Promise<TestCluster> {
  const cluster = await startTestCluster()
  const { client } = cluster
  await client.create(storageClasses, {
    metadata: { name: 'csi', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: 'csi.example.com',
  })
  await client.create(storageProfiles, { metadata: { name: 'csi' }, spec: {} })
  const status = { claimPropertySets: [{ accessModes: ['ReadWriteMany'], volumeMode: 'Block' }] }
  await client.patch(storageProfiles, { name: 'csi' }, { type: 'merge', body: { status } }, { subresource: 'status' })
  await client.create(persistentVolumeClaims, {
    metadata: { namespace, name: 'base' },
    spec: { accessModes: ['ReadWriteOnce'], volumeMode: 'Block', resources: { requests: { storage: '3Gi' } } },
  })
  await client.create(volumeCloneSources, {
    metadata: { namespace, name: 'of-base' },
    spec: { source: { kind: 'PersistentVolumeClaim', name: 'base' } },
  })
  return cluster
}

suite('completeClaim()', () => {
  const complete = async ({ client }: TestCluster, spec: PersistentVolumeClaimSpec): Promise<Record<string, unknown>> => {
    const patch = await completeClaim(client, { metadata: { name: 'disk' }, spec }, namespace)
    return Object.fromEntries(patch.map((operation) => [operation.path, 'value' in operation ? operation.value : undefined]))
  }
  const sized = { resources: { requests: { storage: '1Gi' } } }

  test('takes what is missing from the StorageProfile, and the size of a copy from its source', async () => {
    await using cluster = await startCluster()
    const modes = { '/spec/accessModes': ['ReadWriteMany'], '/spec/volumeMode': 'Block', '/spec/storageClassName': 'csi' }
    assert.deepEqual(await complete(cluster, sized), modes)
    const dataSourceRef = { apiGroup: 'cdi.kubevirt.io', kind: 'VolumeCloneSource', name: 'of-base' }
    assert.deepEqual(await complete(cluster, { dataSourceRef }), { ...modes, '/spec/resources': { requests: { storage: '3Gi' } } })
    const whole = { ...sized, accessModes: ['ReadWriteOnce'], volumeMode: 'Block', storageClassName: 'csi' }
    assert.deepEqual(await complete(cluster, whole), {})
  })

  test('refuses what cannot be completed, and does nothing where that is switched off', async () => {
    await using cluster = await startCluster()
    await assert.rejects(complete(cluster, {}), /missing storage size/)
    await assert.rejects(complete(cluster, { ...sized, volumeMode: 'Filesystem' }), /name accessModes/)
    await cluster.client.create(cdiConfigs, { metadata: { name: 'config' }, spec: { webhookPvcRendering: 'Disabled' } })
    assert.deepEqual(await complete(cluster, {}), {})
  })
})
