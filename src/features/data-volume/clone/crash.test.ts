import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { DataVolumeSource } from '#api/cdi/v1beta1/data-volume-source.ts'
import { dataVolumes } from '#api/cdi/v1beta1/resources.ts'
import { events, namespaces, persistentVolumeClaims, pods, secrets } from '#api/core/v1/resources.ts'
import { volumeSnapshotClasses, volumeSnapshotContents, volumeSnapshots } from '#api/snapshot-storage/v1/resources.ts'
import { storageClasses } from '#api/storage/v1/resources.ts'
import { defineResource } from '#apiserver/registry/define-resource.ts'
import { until } from '#features/cluster.fixture.ts'
import { crashingClient } from '#features/crashing-client.fixture.ts'
import { everyNth, sample, variants } from '#test/effort.ts'
import { bindClaim, importOf, runNode, startImportCluster, type ImportCluster } from '../import-cluster.fixture.ts'
import { names } from '../names.ts'

const mostWrites = 60
const key = { namespace: 'default', name: 'disk' }
const driver = 'rbd.csi.ceph.com'
const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const
const kinds = [volumeSnapshots, volumeSnapshotContents, volumeSnapshotClasses].map((resource) =>
  defineResource({
    ...resource,
    schema: { ...anything, properties: { spec: anything, status: anything } },
    hasStatus: resource.namespaced,
    hasGeneration: true,
    custom: true,
    unconditionalUpdate: false,
  }),
)

/** Starts a cluster with a driver that clones, and a claim and its snapshot in two namespaces. */
async function startDriverCluster(): Promise<ImportCluster> {
  const cluster = await startImportCluster('Immediate', kinds)
  const { client } = cluster
  cluster.progress.stage = 'WaitingForSource'
  await client.create(storageClasses, { metadata: { name: 'rbd' }, provisioner: driver, allowVolumeExpansion: true })
  await client.create(namespaces, { metadata: { name: 'golden' } })
  await client.create(volumeSnapshotContents, { metadata: { name: 'content' }, spec: { driver, deletionPolicy: 'Delete' } })
  for (const namespace of ['default', 'golden']) {
    await client.create(persistentVolumeClaims, {
      metadata: { namespace, name: 'base' },
      spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'rbd', resources: { requests: { storage: '64Mi' } } },
    })
    await bindClaim(cluster, 'base', namespace)
    await client.create(volumeSnapshots, {
      metadata: { namespace, name: 'taken' },
      spec: { source: { persistentVolumeClaimName: 'base' } },
    })
    const status = { readyToUse: true, restoreSize: '64Mi', boundVolumeSnapshotContentName: 'content' }
    await client.patch(volumeSnapshots, { namespace, name: 'taken' }, { type: 'merge', body: { status } }, { subresource: 'status' })
  }
  return cluster
}

async function isDone({ client }: ImportCluster): Promise<boolean> {
  const { status } = await client.get(dataVolumes, key)
  const left = await Promise.all([client.list(pods), client.list(secrets)])
  const claims = (await client.list(persistentVolumeClaims)).items.length
  return status?.phase === 'Succeeded' && claims === 3 && left.every(({ items }) => items.length === 0)
}

/** Source, size, what makes the copy, and the reason if that is not the driver. */
const cases: readonly (readonly [what: string, source: DataVolumeSource, size: string, type: string, reason?: string])[] = [
  ['a larger clone by the driver', { pvc: { namespace: 'default', name: 'base' } }, '96Mi', 'csi-clone'],
  ['a snapshot that the driver restores', { snapshot: { namespace: 'default', name: 'taken' } }, '64Mi', 'snapshot'],
  [
    'a snapshot of another namespace, restored there and copied by a worker',
    { snapshot: { namespace: 'golden', name: 'taken' } },
    '64Mi',
    'copy',
    'CrossNamespaceClone',
  ],
]

for (const [index, [what, source, size, type, reason]] of sample(cases, 2).entries())
  suite(`A DataVolume, ${what}, whose controller is killed at any write`, () => {
    for (const moment of variants(['before', 'after'] as const, index))
      test(`succeeds, and leaves one claim and nothing else, ${moment} each write`, async () => {
        for (const write of everyNth({ default: 8, long: 1 })) {
          assert.ok(write <= mostWrites, 'the controllers never stop writing')
          await using cluster = await startDriverCluster()
          const { client } = cluster
          const { spec, ...dataVolume } = importOf('disk', source, size)
          const storage = { ...spec.storage, storageClassName: 'rbd', accessModes: ['ReadWriteOnce'], volumeMode: 'Filesystem' }
          await client.create(dataVolumes, { ...dataVolume, spec: { source, pvc: storage } })
          await using _node = runNode(cluster)
          let isDead = false
          const stop = cluster.start('virt-controller', (own) => crashingClient(own, { write, moment }, () => (isDead = true)))
          await until(async () => isDead || isDone(cluster))
          await stop()
          cluster.start('virt-controller')
          await until(() => isDone(cluster))
          const claim = await client.get(persistentVolumeClaims, key)
          assert.equal(claim.metadata.annotations?.[names.podPhase], 'Succeeded', `killed ${moment} write ${write}`)
          assert.equal(claim.metadata.annotations?.[names.cloneType], type)
          assert.equal(claim.status?.capacity?.['storage'], size)
          if (isDead) continue
          const told = (await client.list(events)).items.filter(({ involvedObject }) => involvedObject.name === 'disk')
          if (reason !== undefined) assert.ok(told.some((event) => event.reason === reason))
          return
        }
      })
  })
