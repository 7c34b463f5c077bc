import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { isNotFound } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ObjectKey, ResourceType } from '#apimachinery/meta/resource-type.ts'
import { events, nodes, persistentVolumeClaims, persistentVolumes, pods, serviceAccounts } from '#api/core/v1/resources.ts'
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '#api/core/v1/persistent-volume-claim.ts'
import { storageClasses } from '#api/storage/v1/resources.ts'
import type { Client } from '#client/client.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { startEmbeddedCluster } from './embedded-api.fixture.ts'
import { createTestNode, shellPod } from './kubelet/kubelet.fixture.ts'

const key = (name: string): ObjectKey => ({ namespace: 'default', name })
const claim = (name: string, spec: Partial<PersistentVolumeClaimSpec> = {}): PersistentVolumeClaim => ({
  metadata: key(name),
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
})

async function until<T>(what: () => Promise<T | undefined | false>): Promise<T> {
  for (let tries = 0; tries < 6000; tries++) {
    const answer = await what()
    if (answer !== undefined && answer !== false) return answer
    await systemClock.sleep(10)
  }
  throw new RangeError('it did not come true in time')
}

async function isGone<T extends KubeObject>(client: Client, resource: ResourceType<T>, where: ObjectKey): Promise<boolean> {
  try {
    await client.get(resource, where)
    return false
  } catch (error) {
    if (isNotFound(error)) return true
    throw error
  }
}

async function withCluster(work: (client: Client, volumes: string) => Promise<void>): Promise<void> {
  await using cluster = await startEmbeddedCluster()
  const { client } = cluster
  await until(
    async () => !(await isGone(client, storageClasses, { name: 'local' })) && !(await isGone(client, serviceAccounts, key('default'))),
  )
  await work(client, cluster.volumes)
}

const bound = (client: Client, name: string): Promise<PersistentVolumeClaim> =>
  until(async () => {
    const found = await client.get(persistentVolumeClaims, key(name))
    return found.status?.phase === 'Bound' && found
  })

suite('local volumes', () => {
  test('a claim gets a folder that pods write into and that is deleted with the claim', () =>
    withCluster(async (client, volumes) => {
      await using node = createTestNode(client)
      node.start()
      await client.create(persistentVolumeClaims, claim('data'))
      const { spec, status } = await bound(client, 'data')
      const name = spec?.volumeName ?? ''
      assert.deepEqual([spec?.storageClassName, status?.capacity, status?.accessModes], ['local', { storage: '1Gi' }, ['ReadWriteOnce']])
      const pod = shellPod('writer', 'echo kept > "$POD_DIR/volumes/kubernetes.io~local-volume/v/file"; exec sleep 1000', {
        volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }],
      })
      await client.create(pods, pod)
      const file = join(volumes, name, 'file')
      await until(async () => existsSync(file) && readFileSync(file, 'utf8') === 'kept\n')
      await client.delete(persistentVolumeClaims, key('data'))
      assert.ok((await client.get(persistentVolumeClaims, key('data'))).metadata.deletionTimestamp !== undefined)
      await client.delete(pods, key('writer'))
      await until(() => isGone(client, persistentVolumeClaims, key('data')))
      await until(() => isGone(client, persistentVolumes, { name }))
      assert.equal(existsSync(join(volumes, name)), false)
    }))

  test('a claim with a data source that nothing fills stays Pending, and an event gives the reason', () =>
    withCluster(async (client, volumes) => {
      const { spec, ...rest } = claim('copy')
      const dataSource = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'golden' }
      await client.create(persistentVolumeClaims, { ...rest, spec: { ...spec, dataSource } })
      const event = await until(async () => (await client.list(events)).items.find(({ reason }) => reason === 'ProvisioningFailed'))
      assert.match(event.message ?? '', /cannot fill volumes from VolumeSnapshot "golden"/)
      assert.equal((await client.get(persistentVolumeClaims, key('copy'))).status?.phase, 'Pending')
      // virt-controller, which fills such a claim, does not run here.
      await client.create(persistentVolumeClaims, {
        ...claim('clone'),
        spec: { ...spec, dataSource: { kind: 'PersistentVolumeClaim', name: 'copy' } },
      })
      await until(async () =>
        (await client.list(events)).items.find(
          ({ involvedObject, reason }) => involvedObject.name === 'clone' && reason === 'ExternalProvisioning',
        ),
      )
      assert.deepEqual(existsSync(volumes) ? readdirSync(volumes) : [], [])
    }))

  test('a raw volume is a sparse file that grows with its claim', () =>
    withCluster(async (client, volumes) => {
      await client.create(persistentVolumeClaims, claim('disk', { volumeMode: 'Block' }))
      const { spec } = await bound(client, 'disk')
      const path = join(volumes, spec?.volumeName ?? '', 'disk.img')
      const size = (): number => (existsSync(path) ? statSync(path).size : 0)
      await until(async () => size() === 2 ** 30)
      const body = { spec: { resources: { requests: { storage: '2Gi' } } } }
      await client.patch(persistentVolumeClaims, key('disk'), { type: 'merge', body })
      await until(
        async () => size() === 2 ** 31 && (await client.get(persistentVolumeClaims, key('disk'))).status?.capacity?.['storage'] === '2Gi',
      )
    }))

  test('a claim binds the smallest suitable volume, which is kept under reclaim policy Retain', () =>
    withCluster(async (client) => {
      const sizes = { small: '1Gi', right: '5Gi', large: '50Gi' }
      for (const [name, storage] of Object.entries(sizes)) {
        const spec = { capacity: { storage }, accessModes: ['ReadWriteOnce'], storageClassName: 'manual', hostPath: { path: '/tmp' } }
        await client.create(persistentVolumes, { metadata: { name }, spec })
      }
      await until(async () => (await client.list(persistentVolumes)).items.every(({ status }) => status?.phase === 'Available'))
      await client.create(persistentVolumeClaims, claim('c', { storageClassName: 'manual', resources: { requests: { storage: '3Gi' } } }))
      assert.equal((await bound(client, 'c')).spec?.volumeName, 'right')
      await client.delete(persistentVolumeClaims, key('c'))
      await until(async () => (await client.get(persistentVolumes, { name: 'right' })).status?.phase === 'Released')
    }))

  test('a claim with WaitForFirstConsumer gets a volume when its pod has a node', () =>
    withCluster(async (client) => {
      await client.create(storageClasses, {
        metadata: { name: 'late' },
        provisioner: 'steadyvm.io/local',
        volumeBindingMode: 'WaitForFirstConsumer',
      })
      await client.create(persistentVolumeClaims, claim('c', { storageClassName: 'late' }))
      await until(async () => (await client.get(persistentVolumeClaims, key('c'))).status?.phase === 'Pending')
      const { nodeName: _, ...spec } = shellPod('p', 'exec sleep 1000').spec
      const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }]
      await using node = createTestNode(client)
      node.start()
      await until(async () => (await client.list(nodes)).items.length === 1)
      assert.equal((await client.get(persistentVolumeClaims, key('c'))).status?.phase, 'Pending')
      await client.create(pods, { metadata: key('p'), spec: { ...spec, volumes } })
      const { metadata } = await bound(client, 'c')
      assert.equal(metadata.annotations?.['volume.kubernetes.io/selected-node'], 'n1')
      await until(async () => (await client.get(pods, key('p'))).status?.phase === 'Running')
    }))
})
