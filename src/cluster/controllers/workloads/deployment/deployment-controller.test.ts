import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Deployment } from '#api/apps/v1/deployment.ts'
import type { ReplicaSet } from '#api/apps/v1/replica-set.ts'
import { deployments, replicaSets } from '#api/apps/v1/resources.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { pods } from '#api/core/v1/resources.ts'
import type { ObjectKey } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { startEmbeddedCluster } from '#cluster/embedded-api.fixture.ts'
import { type PodOutcome, startFakeKubelets, until } from '../fake-kubelets.fixture.ts'
import { isComplete } from './conditions.ts'

const key: ObjectKey = { namespace: 'default', name: 'web' }

function web(image: string, spec: Partial<Deployment['spec']> = {}): Deployment {
  const labels = { app: 'web' }
  return {
    metadata: { namespace: 'default', name: 'web' },
    spec: {
      replicas: 3,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image }] } },
      ...spec,
    },
  }
}

async function withCluster(work: (client: Client) => Promise<void>, fateOf?: (pod: Pod) => PodOutcome): Promise<void> {
  await using cluster = await startEmbeddedCluster()
  await using _nodes = await startFakeKubelets(cluster.client, ['n1', 'n2'], fateOf)
  await work(cluster.client)
}

async function complete(client: Client): Promise<Deployment> {
  return until(async () => {
    const deployment = await client.get(deployments, key)
    return isComplete(deployment, deployment.status) && deployment
  })
}

const setImage = (client: Client, image: string): Promise<Deployment> =>
  client.patch(deployments, key, { type: 'strategic', body: { spec: { template: { spec: { containers: [{ name: 'main', image }] } } } } })

async function podsNow(client: Client): Promise<readonly Pod[]> {
  return (await client.list(pods, { namespace: 'default' })).items
}

async function replicaSetsNow(client: Client): Promise<readonly ReplicaSet[]> {
  return (await client.list(replicaSets, { namespace: 'default' })).items
}

const imageOf = (pod: Pod): string => pod.spec.containers[0]?.image ?? ''
const reasonOf = ({ status }: Deployment, type: string): string | undefined => status?.conditions?.find((one) => one.type === type)?.reason

suite('the deployment controller', () => {
  test('creates a ReplicaSet with the requested pods and reports it', () =>
    withCluster(async (client) => {
      await client.create(deployments, web('a:1'))
      const deployment = await complete(client)
      assert.equal(deployment.metadata.annotations?.['deployment.kubernetes.io/revision'], '1')
      const [replicaSet, ...others] = await replicaSetsNow(client)
      assert.equal(others.length, 0)
      const hash = replicaSet?.spec.selector.matchLabels?.['pod-template-hash'] ?? ''
      assert.equal(replicaSet?.metadata.name, `web-${hash}`)
      const found = await podsNow(client)
      assert.equal(found.length, 3)
      assert.ok(found.every(({ metadata }) => metadata.name?.startsWith(`web-${hash}-`) && metadata.labels?.['pod-template-hash'] === hash))
      const settled = await until(async () => {
        const now = await client.get(deployments, key)
        return reasonOf(now, 'Progressing') === 'NewReplicaSetAvailable' && now
      })
      assert.equal(reasonOf(settled, 'Available'), 'MinimumReplicasAvailable')
    }))

  test('rolls out a new template with the required number of available pods, and sets its revision number', () =>
    withCluster(async (client) => {
      const rollingUpdate = { maxUnavailable: 0, maxSurge: 1 }
      await client.create(deployments, web('a:1', { strategy: { type: 'RollingUpdate', rollingUpdate } }))
      await complete(client)
      const stop = new AbortController()
      const counts: number[] = []
      const ready = new Set((await podsNow(client)).map(({ metadata }) => metadata.name))
      const { resourceVersion = '' } = (await client.list(pods)).metadata
      const watching = (async () => {
        for await (const { type, object } of client.watch(pods, { resourceVersion, signal: stop.signal })) {
          const serves = object.status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') === true
          if (type !== 'DELETED' && object.metadata.deletionTimestamp === undefined && serves) ready.add(object.metadata.name)
          else ready.delete(object.metadata.name)
          counts.push(ready.size)
        }
      })().catch(() => {})
      await setImage(client, 'a:2')
      const deployment = await complete(client)
      await until(async () => (await podsNow(client)).length === 3)
      stop.abort()
      await watching
      assert.ok(counts.length > 0 && Math.min(...counts) === 3 && Math.max(...counts) === 4, counts.join(','))
      assert.deepEqual((await podsNow(client)).map(imageOf), ['a:2', 'a:2', 'a:2'])
      assert.equal(deployment.metadata.annotations?.['deployment.kubernetes.io/revision'], '2')
    }))

  test('rolls back to an old template with its old ReplicaSet and a new revision number', () =>
    withCluster(async (client) => {
      await client.create(deployments, web('a:1'))
      await complete(client)
      await setImage(client, 'a:2')
      await complete(client)
      await setImage(client, 'a:1')
      await complete(client)
      const found = await replicaSetsNow(client)
      assert.equal(found.length, 2)
      const current = found.find(({ spec }) => spec.template?.spec.containers[0]?.image === 'a:1')
      assert.equal(current?.metadata.annotations?.['deployment.kubernetes.io/revision'], '3')
      assert.equal(current?.metadata.annotations?.['deployment.kubernetes.io/revision-history'], '1')
    }))

  test('stops a rollout while it is paused, and continues it', () =>
    withCluster(async (client) => {
      await client.create(deployments, web('a:1'))
      await complete(client)
      await client.patch(deployments, key, { type: 'merge', body: { spec: { paused: true } } })
      await setImage(client, 'a:2')
      await until(async () => reasonOf(await client.get(deployments, key), 'Progressing') === 'DeploymentPaused')
      await client.patch(deployments, key, { type: 'merge', body: { spec: { replicas: 5 } } })
      await until(async () => (await client.get(deployments, key)).status?.availableReplicas === 5)
      assert.ok((await podsNow(client)).every((pod) => imageOf(pod) === 'a:1'))
      await client.patch(deployments, key, { type: 'merge', body: { spec: { paused: false } } })
      await complete(client)
      assert.ok(
        (await podsNow(client)).filter(({ metadata }) => metadata.deletionTimestamp === undefined).every((pod) => imageOf(pod) === 'a:2'),
      )
    }))

  test('keeps available old pods while new ones are unavailable, and reports an exceeded progress deadline', () =>
    withCluster(
      async (client) => {
        await client.create(deployments, web('a:1', { progressDeadlineSeconds: 1 }))
        await complete(client)
        await setImage(client, 'broken:1')
        const late = await until(async () => {
          const deployment = await client.get(deployments, key)
          return reasonOf(deployment, 'Progressing') === 'ProgressDeadlineExceeded' && deployment
        })
        assert.deepEqual([late.status?.availableReplicas, late.status?.updatedReplicas], [3, 1])
      },
      (pod) => (imageOf(pod).startsWith('broken') ? 'running' : 'ready'),
    ))

  test('starts new pods only when all old ones are deleted, with strategy Recreate', () =>
    withCluster(async (client) => {
      await client.create(deployments, web('a:1', { strategy: { type: 'Recreate' } }))
      await complete(client)
      const { resourceVersion = '' } = (await client.list(pods)).metadata
      await setImage(client, 'a:2')
      const stop = new AbortController()
      const events: string[] = []
      for await (const { type, object } of client.watch(pods, { resourceVersion, signal: stop.signal })) {
        if (type !== 'MODIFIED') events.push(`${type} ${imageOf(object)}`)
        if (events.length === 6) break
      }
      assert.deepEqual(events, [...Array.from({ length: 3 }, () => 'DELETED a:1'), ...Array.from({ length: 3 }, () => 'ADDED a:2')])
      await complete(client)
    }))

  test('deletes ReplicaSets beyond the history limit', () =>
    withCluster(async (client) => {
      await client.create(deployments, web('a:1', { replicas: 1, revisionHistoryLimit: 1 }))
      for (const image of ['a:2', 'a:3', 'a:4']) {
        await complete(client)
        await setImage(client, image)
      }
      await complete(client)
      const images = await until(async () => {
        const found = await replicaSetsNow(client)
        return found.length === 2 && found.map(({ spec }) => spec.template?.spec.containers[0]?.image ?? '').toSorted()
      })
      assert.deepEqual(images, ['a:3', 'a:4'])
    }))

  test('is deleted with its ReplicaSets and pods', () =>
    withCluster(async (client) => {
      await client.create(deployments, web('a:1'))
      await complete(client)
      await client.delete(deployments, key, { propagationPolicy: 'Foreground' })
      await until(async () => (await client.list(deployments, { namespace: 'default' })).items.length === 0)
      assert.deepEqual([(await replicaSetsNow(client)).length, (await podsNow(client)).length], [0, 0])
    }))
})
