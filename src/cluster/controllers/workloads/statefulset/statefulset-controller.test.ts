import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { controllerRevisions, statefulSets } from '#api/apps/v1/resources.ts'
import type { StatefulSet, StatefulSetStatus } from '#api/apps/v1/stateful-set.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { persistentVolumeClaims, pods } from '#api/core/v1/resources.ts'
import type { ObjectKey } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { startEmbeddedCluster } from '#cluster/embedded-api.fixture.ts'
import { startFakeKubelets, until } from '../fake-kubelets.fixture.ts'

const namespace = 'default'
const key: ObjectKey = { namespace, name: 'web' }
const labels = { app: 'web' }

function web(image: string, spec: Partial<StatefulSet['spec']> = {}): StatefulSet {
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image }] } }
  return { metadata: { namespace, name: 'web' }, spec: { replicas: 3, selector: { matchLabels: labels }, template, ...spec } }
}

async function withCluster(work: (client: Client) => Promise<void>): Promise<void> {
  await using cluster = await startEmbeddedCluster()
  await using _nodes = await startFakeKubelets(cluster.client, ['n1'])
  await work(cluster.client)
}

async function podsNow(client: Client): Promise<readonly Pod[]> {
  const { items } = await client.list(pods, { namespace })
  return items.toSorted((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))
}

const names = (found: readonly Pod[]): unknown => found.map(({ metadata }) => metadata.name)
const images = (found: readonly Pod[]): unknown => found.map(({ spec }) => spec.containers[0]?.image)

async function settled(client: Client, replicas: number): Promise<StatefulSetStatus> {
  return until(async () => {
    const { metadata, status } = await client.get(statefulSets, key)
    const isDone = status?.replicas === replicas && (status.availableReplicas ?? 0) === replicas
    return status?.observedGeneration === metadata.generation && isDone && status
  })
}

const setImage = (client: Client, image: string): Promise<StatefulSet> =>
  client.patch(statefulSets, key, {
    type: 'strategic',
    body: { spec: { template: { spec: { containers: [{ name: 'main', image }] } } } },
  })

suite('the stateful set controller', () => {
  test('creates pods by name, and deletes the last ones when it is scaled down', () =>
    withCluster(async (client) => {
      await client.create(statefulSets, web('a:1'))
      await settled(client, 3)
      assert.deepEqual(names(await podsNow(client)), ['web-0', 'web-1', 'web-2'])
      await client.patch(statefulSets, key, { type: 'merge', body: { spec: { replicas: 1 } } })
      await settled(client, 1)
      assert.deepEqual(names(await podsNow(client)), ['web-0'])
    }))

  test('replaces pods from the partition on, all of them later, and rolls back to an old revision', () =>
    withCluster(async (client) => {
      await client.create(statefulSets, web('a:1', { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } }))
      const first = await settled(client, 3)
      await setImage(client, 'a:2')
      await until(async () => (await settled(client, 3)).updatedReplicas === 1)
      assert.deepEqual(images(await podsNow(client)), ['a:1', 'a:1', 'a:2'])
      await client.patch(statefulSets, key, { type: 'merge', body: { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } } })
      const second = await until(async () => {
        const status = await settled(client, 3)
        return status.updatedReplicas === 3 && status.currentRevision === status.updateRevision && status
      })
      assert.notEqual(second.currentRevision, first.currentRevision)
      await setImage(client, 'a:1')
      await until(async () => (await settled(client, 3)).currentRevision === first.currentRevision)
      assert.deepEqual(images(await podsNow(client)), ['a:1', 'a:1', 'a:1'])
      assert.equal((await client.list(controllerRevisions, { namespace })).items.length, 2)
    }))

  test('creates claims, and leaves them to the pods that come again', () =>
    withCluster(async (client) => {
      const template = { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } } }
      await client.create(statefulSets, web('a:1', { replicas: 1, volumeClaimTemplates: [template] }))
      const claim = await until(() => client.get(persistentVolumeClaims, { namespace, name: 'data-web-0' }).catch(() => undefined))
      const [pod] = await until(async () => {
        const found = await podsNow(client)
        return found.length === 1 && found
      })
      assert.equal(pod?.spec.volumes?.[0]?.persistentVolumeClaim?.claimName, 'data-web-0')
      await client.delete(pods, { namespace, name: 'web-0' }, { gracePeriodSeconds: 0 })
      await until(async () => (await podsNow(client)).some(({ metadata }) => metadata.uid !== pod.metadata.uid))
      assert.equal((await client.get(persistentVolumeClaims, { namespace, name: 'data-web-0' })).metadata.uid, claim.metadata.uid)
    }))
})
