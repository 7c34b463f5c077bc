import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataVolumes } from '#api/cdi/v1beta1/resources.ts'
import { persistentVolumeClaims, pods, secrets } from '#api/core/v1/resources.ts'
import { found, until } from '#features/cluster.fixture.ts'
import type { ImportTask } from '#importer/index.ts'
import { bindClaim, importOf, runWorker, startImportCluster, variable, workerOfClaim } from './import-cluster.fixture.ts'
import { names } from './names.ts'

const namespace = 'default'
const once = { storageClassName: 'local', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '64Mi' } } }

test('A copy for a launcher that waits on a node runs there, and another pod serves the source', async () => {
  await using cluster = await startImportCluster('WaitForFirstConsumer')
  const { client } = cluster
  cluster.progress.stage = 'WaitingForSource'
  await client.create(persistentVolumeClaims, { metadata: { namespace, name: 'golden' }, spec: once })
  await bindClaim(cluster, 'golden')
  cluster.start('virt-controller')
  const { metadata } = importOf('disk', {}, '')
  await client.create(dataVolumes, { metadata, spec: { source: { pvc: { namespace, name: 'golden' } }, pvc: once } })
  await until(async () => (await client.get(dataVolumes, { namespace, name: 'disk' })).status?.phase === 'WaitForFirstConsumer')
  await client.create(pods, {
    metadata: { namespace, name: 'launcher' },
    spec: {
      nodeName: 'n2',
      containers: [{ name: 'compute', image: 'i' }],
      volumes: [{ name: 'root', persistentVolumeClaim: { claimName: 'disk' } }],
    },
  })
  await bindClaim(cluster, 'disk')
  const worker = await workerOfClaim(cluster, 'disk', 'clone')
  const terms = worker.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms
  assert.deepEqual(terms, [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n2'] }] }])
  assert.deepEqual((JSON.parse(variable(worker, 'IMPORTER_TASK') ?? '') as ImportTask).source.kind, 'peer')
  assert.ok(worker.spec.volumes?.every(({ persistentVolumeClaim: volume }) => volume?.claimName !== 'golden'))
  const secret = worker.spec.volumes?.find(({ name }) => name === 'serving')?.secret?.secretName ?? ''
  await until(() => found(client, secrets, secret))
  await runWorker(cluster, 'disk', 'clone')
  const server = await until(async () => (await client.list(pods, { namespace, labelSelector: names.servesLabel })).items[0])
  assert.deepEqual(server.spec.volumes?.[0]?.persistentVolumeClaim, { claimName: 'golden', readOnly: true })
})
