import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { DataVolumeSpec } from '#api/cdi/v1beta1/data-volume-spec.ts'
import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import { dataSources, dataVolumes } from '#api/cdi/v1beta1/resources.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import { persistentVolumeClaims, pods } from '#api/core/v1/resources.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { until } from '#features/cluster.fixture.ts'
import { bindClaim, createGoldenClaim, startImportCluster, variable, workerOfClaim } from '../import-cluster.fixture.ts'
import { names } from '../names.ts'
import { originOf } from './resolve-source.ts'

const storage = { resources: { requests: { storage: '64Mi' } } }
const key = { namespace: 'default', name: 'disk' }
const base = { namespace: 'golden', name: 'base' }

function volume(spec: DataVolumeSpec): DataVolume {
  return { apiVersion: 'cdi.kubevirt.io/v1beta1', kind: 'DataVolume', metadata: { ...key }, spec }
}

suite('originOf()', () => {
  const claim = (text: string): PersistentVolumeClaim => ({ metadata: { annotations: { [names.cloneRequest]: text } } })
  const ref = (namespace?: string): DataVolumeSpec => ({
    sourceRef: { kind: 'DataSource', name: 'latest', ...(namespace === undefined ? {} : { namespace }) },
  })
  const rows: readonly (readonly [string, DataVolumeSpec, string, object | undefined])[] = [
    ['the spec counts, and no annotation', { source: { pvc: base } }, 'secret/keys', base],
    ['a DataSource was pinned in the namespace that the spec names', ref('golden'), 'golden/base', base],
    ['a DataSource was pinned in the own namespace', ref(), 'default/own', { namespace: 'default', name: 'own' }],
    ['an annotation leads to no other namespace', ref('golden'), 'secret/keys', undefined],
    ['an annotation leads to no other namespace than the own', ref(), 'secret/keys', undefined],
    ['an annotation without a namespace leads nowhere', ref(''), '/keys', undefined],
  ]
  for (const [what, spec, text, wanted] of rows)
    test(what, () => assert.deepEqual(originOf(volume(spec), claim(text)), wanted === undefined ? undefined : { kind: 'pvc', ...wanted }))
})

suite('A DataVolume with a DataSource', () => {
  test('follows it to no namespace for which no right was checked, also when it changes later', async () => {
    await using cluster = await startImportCluster()
    const { client } = cluster
    await createGoldenClaim(cluster, 'base')
    cluster.start('virt-controller')
    await client.create(dataVolumes, volume({ sourceRef: { kind: 'DataSource', name: 'latest' }, storage }))
    await client.create(dataSources, { metadata: { namespace: 'default', name: 'latest' }, spec: { source: { pvc: base } } })
    await client.patch(dataVolumes, key, { type: 'merge', body: { metadata: { labels: { asked: 'again' } } } })
    const reason = async (): Promise<string | undefined> =>
      findCondition((await client.get(dataVolumes, key)).status?.conditions, 'Ready')?.reason
    await until(async () => (await reason()) === 'CloneSourceNotPermitted')
    assert.deepEqual((await client.list(persistentVolumeClaims, { namespace: 'default' })).items, [])
  })

  test('is copied from the namespace that it names, by a worker that gets no volume of that', async () => {
    await using cluster = await startImportCluster()
    const { client } = cluster
    cluster.progress.stage = 'WaitingForSource'
    await createGoldenClaim(cluster, 'base')
    await client.create(dataSources, { metadata: { namespace: 'golden', name: 'latest' }, spec: { source: { pvc: base } } })
    cluster.start('virt-controller')
    await client.create(dataVolumes, volume({ sourceRef: { kind: 'DataSource', name: 'latest', namespace: 'golden' }, storage }))
    await bindClaim(cluster, 'disk')
    const worker = await workerOfClaim(cluster, 'disk', 'clone')
    assert.deepEqual(
      worker.spec.volumes?.flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []),
      ['disk'],
    )
    assert.match(variable(worker, 'IMPORTER_TASK') ?? '', /"kind":"peer"/)
    assert.deepEqual((await client.list(pods, { namespace: 'golden' })).items, [])
  })
})
