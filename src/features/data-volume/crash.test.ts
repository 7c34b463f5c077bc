import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { DataVolumeSource } from '#api/cdi/v1beta1/data-volume-source.ts'
import { dataVolumes } from '#api/cdi/v1beta1/resources.ts'
import { persistentVolumeClaims, pods, secrets } from '#api/core/v1/resources.ts'
import { found, until } from '#features/cluster.fixture.ts'
import { crashingClient } from '#features/crashing-client.fixture.ts'
import { everyNth, variants } from '#test/effort.ts'
import { createGoldenClaim, importOf, runNode, startImportCluster, type ImportCluster } from './import-cluster.fixture.ts'
import { names } from './names.ts'

/** More than an import needs. */
const mostWrites = 30
const key = { namespace: 'default', name: 'disk' }

async function isDone({ client }: ImportCluster): Promise<boolean> {
  const { status } = await client.get(dataVolumes, key)
  const left = await Promise.all([client.list(pods), client.list(secrets)])
  return status?.phase === 'Succeeded' && left.every(({ items }) => items.length === 0)
}

const sources: readonly { readonly what: string; readonly source: DataVolumeSource; readonly leastWrites: number }[] = [
  { what: 'An import', source: { http: { url: 'http://images/a.qcow2' } }, leastWrites: 8 },
  { what: 'A copy from another namespace', source: { pvc: { namespace: 'golden', name: 'base' } }, leastWrites: 11 },
]

for (const [index, { what, source, leastWrites }] of sources.entries())
  suite(`${what} whose controller is killed at any write`, () => {
    for (const moment of variants(['before', 'after'] as const, index))
      test(`succeeds, and leaves one claim and nothing else, ${moment} each write`, async () => {
        for (const write of everyNth({ default: 7, long: 1 })) {
          assert.ok(write <= mostWrites, 'the controllers never stop writing')
          await using cluster = await startImportCluster()
          cluster.progress.stage = 'WaitingForSource'
          await createGoldenClaim(cluster, 'base')
          await cluster.client.create(dataVolumes, importOf('disk', source, '64Mi'))
          await using _node = runNode(cluster)
          let isDead = false
          const stop = cluster.start('virt-controller', (client) => crashingClient(client, { write, moment }, () => (isDead = true)))
          await until(async () => isDead || isDone(cluster))
          await stop()
          cluster.start('virt-controller')
          await until(() => isDone(cluster))
          const claim = await found(cluster.client, persistentVolumeClaims, 'disk')
          assert.equal(claim?.metadata.annotations?.[names.podPhase], 'Succeeded', `killed ${moment} write ${write}`)
          assert.equal((await cluster.client.list(persistentVolumeClaims, { namespace: 'default' })).items.length, 1)
          if (!isDead) return assert.ok(write > leastWrites, `only ${write} writes`)
        }
      })
  })
