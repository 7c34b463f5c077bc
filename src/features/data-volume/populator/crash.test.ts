import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { volumeCloneSources, volumeImportSources, volumeUploadSources } from '#api/cdi/v1beta1/resources.ts'
import type { PersistentVolumeClaimSpec } from '#api/core/v1/persistent-volume-claim.ts'
import { persistentVolumeClaims, persistentVolumes, pods, secrets } from '#api/core/v1/resources.ts'
import { found, until } from '#features/cluster.fixture.ts'
import { crashingClient } from '#features/crashing-client.fixture.ts'
import type { Client } from '#client/client.ts'
import { everyNth, sample, variants } from '#test/effort.ts'
import { bindClaim, runNode, startImportCluster, type ImportCluster } from '../import-cluster.fixture.ts'
import { names } from '../names.ts'

/** More than a claim needs. */
const mostWrites = 60
const namespace = 'default'

function claim(name: string, spec: PersistentVolumeClaimSpec): object {
  const base = { accessModes: ['ReadWriteOnce'], storageClassName: 'local', resources: { requests: { storage: '64Mi' } } }
  return { metadata: { namespace, name }, spec: { ...base, ...spec } }
}

async function isDone({ client }: ImportCluster): Promise<boolean> {
  const target = await found(client, persistentVolumeClaims, 'target')
  const claims = (await client.list(persistentVolumeClaims)).items.filter(({ metadata }) => metadata.name !== 'source')
  const left = await Promise.all([client.list(pods), client.list(secrets)])
  return target?.status?.phase === 'Bound' && claims.length === 1 && left.every(({ items }) => items.length === 0)
}

/** Objects before the claim, what the claim names, and the fewest writes that fill it. */
const cases: readonly {
  readonly what: string
  readonly prepare: (client: Client) => Promise<unknown>
  readonly source: Pick<PersistentVolumeClaimSpec, 'dataSource' | 'dataSourceRef'>
}[] = [
  {
    what: 'a VolumeImportSource',
    prepare: (client) =>
      client.create(volumeImportSources, { metadata: { namespace, name: 'a' }, spec: { source: { http: { url: 'http://images/a' } } } }),
    source: { dataSourceRef: { apiGroup: 'cdi.kubevirt.io', kind: 'VolumeImportSource', name: 'a' } },
  },
  {
    what: 'a VolumeUploadSource',
    prepare: (client) => client.create(volumeUploadSources, { metadata: { namespace, name: 'a' }, spec: {} }),
    source: { dataSourceRef: { apiGroup: 'cdi.kubevirt.io', kind: 'VolumeUploadSource', name: 'a' } },
  },
  {
    what: 'a VolumeCloneSource',
    prepare: (client) =>
      client.create(volumeCloneSources, {
        metadata: { namespace, name: 'a' },
        spec: { source: { kind: 'PersistentVolumeClaim', name: 'source' } },
      }),
    source: { dataSourceRef: { apiGroup: 'cdi.kubevirt.io', kind: 'VolumeCloneSource', name: 'a' } },
  },
  {
    what: 'another claim, in machine mode',
    prepare: async () => {},
    source: { dataSource: { kind: 'PersistentVolumeClaim', name: 'source' } },
  },
]

for (const [index, { what, prepare, source }] of sample(cases, 2).entries())
  suite(`A claim that names ${what}, whose controller is killed at any write`, () => {
    for (const moment of variants(['before', 'after'] as const, index))
      test(`is filled, and nothing else is left, ${moment} each write`, async () => {
        for (const write of everyNth({ default: 8, long: 1 })) {
          assert.ok(write <= mostWrites, 'the controllers never stop writing')
          await using cluster = await startImportCluster()
          const { client } = cluster
          await client.create(persistentVolumeClaims, claim('source', {}))
          await bindClaim(cluster, 'source')
          await prepare(client)
          await client.create(persistentVolumeClaims, claim('target', source))
          await using _node = runNode(cluster)
          let isDead = false
          const stop = cluster.start('virt-controller', (own) => crashingClient(own, { write, moment }, () => (isDead = true)))
          await until(async () => isDead || isDone(cluster))
          await stop()
          cluster.start('virt-controller')
          await until(() => isDone(cluster))
          const target = await found(client, persistentVolumeClaims, 'target')
          assert.equal(target?.metadata.annotations?.[names.podPhase], 'Succeeded', `killed ${moment} write ${write}`)
          const volume = await client.get(persistentVolumes, { name: target?.spec?.volumeName ?? '' })
          assert.equal(volume.spec?.claimRef?.uid, target?.metadata.uid)
          assert.match(volume.metadata.name ?? '', /^for-prime-/)
          if (!isDead) return assert.ok(write > 8, `only ${write} writes`)
        }
      })
  })
