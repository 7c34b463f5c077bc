import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { DaemonSet, DaemonSetStatus } from '#api/apps/v1/daemon-set.ts'
import { controllerRevisions, daemonSets } from '#api/apps/v1/resources.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { nodes, pods } from '#api/core/v1/resources.ts'
import type { ObjectKey } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { startEmbeddedCluster } from '#cluster/embedded-api.fixture.ts'
import { type PodOutcome, startFakeKubelets, until } from '../fake-kubelets.fixture.ts'
import { targetNode } from './daemon-pod.ts'

const key: ObjectKey = { namespace: 'default', name: 'agent' }

function agent(image: string, spec: Partial<DaemonSet['spec']> = {}): DaemonSet {
  const labels = { app: 'agent' }
  return {
    metadata: { namespace: 'default', name: 'agent' },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image }] } },
      ...spec,
    },
  }
}

async function withCluster(work: (client: Client) => Promise<void>, fateOf?: (pod: Pod) => PodOutcome): Promise<void> {
  await using cluster = await startEmbeddedCluster()
  await using _nodes = await startFakeKubelets(cluster.client, ['n1', 'n2', 'n3'], fateOf)
  await work(cluster.client)
}

const setImage = (client: Client, image: string): Promise<DaemonSet> =>
  client.patch(daemonSets, key, { type: 'strategic', body: { spec: { template: { spec: { containers: [{ name: 'main', image }] } } } } })

async function rolledOut(client: Client, nodeCount: number): Promise<DaemonSetStatus> {
  return until(async () => {
    const { metadata, status } = await client.get(daemonSets, key)
    const done = status?.updatedNumberScheduled === nodeCount && status.numberAvailable === nodeCount
    return status?.observedGeneration === metadata.generation && status?.desiredNumberScheduled === nodeCount && done && status
  })
}

async function podsNow(client: Client): Promise<readonly Pod[]> {
  return (await client.list(pods, { namespace: 'default' })).items
}

async function revisionsNow(client: Client): Promise<readonly ControllerRevision[]> {
  const { items } = await client.list(controllerRevisions, { namespace: 'default' })
  return items.toSorted((a, b) => a.revision - b.revision)
}

const imageOf = (pod: Pod): string => pod.spec.containers[0]?.image ?? ''

/** Counts of pods that serve, after each event while `work` runs. */
async function servingDuring(client: Client, work: () => Promise<unknown>): Promise<readonly number[]> {
  const stop = new AbortController()
  const serves = ({ status, metadata }: Pod): boolean =>
    metadata.deletionTimestamp === undefined && status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') === true
  const list = await client.list(pods)
  const ready = new Set(list.items.filter(serves).map(({ metadata }) => metadata.name))
  const counts: number[] = []
  const { resourceVersion = '' } = list.metadata
  const watching = (async () => {
    for await (const { type, object } of client.watch(pods, { resourceVersion, signal: stop.signal })) {
      if (type !== 'DELETED' && serves(object)) ready.add(object.metadata.name)
      else ready.delete(object.metadata.name)
      counts.push(ready.size)
    }
  })().catch(() => {})
  await work()
  stop.abort()
  await watching
  return counts
}

suite('the daemon set controller', () => {
  test('runs one pod on each eligible node, also on nodes that are added later', () =>
    withCluster(async (client) => {
      await client.patch(nodes, { name: 'n3' }, { type: 'merge', body: { metadata: { labels: { quiet: 'yes' } } } })
      const requirement = { key: 'quiet', operator: 'DoesNotExist' }
      const affinity = {
        nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [requirement] }] } },
      }
      const daemonSet = agent('a:1')
      daemonSet.spec.template.spec.affinity = affinity
      await client.create(daemonSets, daemonSet)
      await rolledOut(client, 2)
      assert.deepEqual((await podsNow(client)).map(targetNode).toSorted(), ['n1', 'n2'])
      await client.patch(nodes, { name: 'n3' }, { type: 'merge', body: { metadata: { labels: { quiet: null } } } })
      await rolledOut(client, 3)
      assert.deepEqual((await podsNow(client)).map(targetNode).toSorted(), ['n1', 'n2', 'n3'])
      await client.patch(nodes, { name: 'n1' }, { type: 'merge', body: { metadata: { labels: { quiet: 'yes' } } } })
      await rolledOut(client, 2)
      await until(async () => (await podsNow(client)).length === 2)
    }))

  test('keeps pods on a node that is cordoned', () =>
    withCluster(async (client) => {
      await client.create(daemonSets, agent('a:1'))
      await rolledOut(client, 3)
      await client.patch(nodes, { name: 'n1' }, { type: 'merge', body: { spec: { unschedulable: true } } })
      const gone = (await podsNow(client)).find((pod) => targetNode(pod) === 'n1')
      await client.delete(pods, { namespace: 'default', name: gone?.metadata.name ?? '' })
      await until(async () => (await podsNow(client)).some((pod) => pod.spec.nodeName === 'n1' && pod.metadata.uid !== gone?.metadata.uid))
    }))

  test('replaces one pod after the other, and keeps revisions for a rollback', () =>
    withCluster(async (client) => {
      await client.create(daemonSets, agent('a:1'))
      await rolledOut(client, 3)
      const counts = await servingDuring(client, async () => {
        await setImage(client, 'a:2')
        await rolledOut(client, 3)
      })
      assert.equal(Math.min(...counts), 2, counts.join(','))
      assert.ok((await podsNow(client)).every((pod) => imageOf(pod) === 'a:2'))
      const [first, second] = await revisionsNow(client)
      assert.deepEqual([first?.revision, second?.revision], [1, 2])
      await client.patch(daemonSets, key, { type: 'strategic', body: first?.data ?? {} })
      await rolledOut(client, 3)
      assert.ok((await podsNow(client)).every((pod) => imageOf(pod) === 'a:1'))
      const after = await until(async () => {
        const found = await revisionsNow(client)
        return found.at(-1)?.metadata.name === first?.metadata.name && found
      })
      assert.deepEqual(
        after.map(({ revision }) => revision),
        [2, 3],
      )
    }))

  test('starts the new pod first with maxSurge', () =>
    withCluster(async (client) => {
      const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
      await client.create(daemonSets, agent('a:1', { updateStrategy }))
      await rolledOut(client, 3)
      const counts = await servingDuring(client, async () => {
        await setImage(client, 'a:2')
        await rolledOut(client, 3)
        await until(async () => (await podsNow(client)).every((pod) => imageOf(pod) === 'a:2'))
      })
      assert.deepEqual([Math.min(...counts), Math.max(...counts)], [3, 4], counts.join(','))
    }))

  test('keeps old pods until they are deleted with updateStrategy OnDelete', () =>
    withCluster(async (client) => {
      await client.create(daemonSets, agent('a:1', { updateStrategy: { type: 'OnDelete' } }))
      await rolledOut(client, 3)
      await setImage(client, 'a:2')
      await until(async () => (await client.get(daemonSets, key)).status?.updatedNumberScheduled === undefined)
      const [oldPod] = await podsNow(client)
      await client.delete(pods, { namespace: 'default', name: oldPod?.metadata.name ?? '' })
      await until(async () => (await client.get(daemonSets, key)).status?.updatedNumberScheduled === 1)
      assert.deepEqual((await podsNow(client)).map(imageOf).toSorted(), ['a:1', 'a:1', 'a:2'])
    }))

  test('replaces a pod that has failed', () =>
    withCluster(async (client) => {
      await client.create(daemonSets, agent('a:1'))
      await rolledOut(client, 3)
      const [oldPod] = await podsNow(client)
      const name = oldPod?.metadata.name ?? ''
      await client.patch(
        pods,
        { namespace: 'default', name },
        { type: 'merge', body: { status: { phase: 'Failed' } } },
        { subresource: 'status' },
      )
      await until(async () => (await podsNow(client)).every(({ metadata }) => metadata.name !== name))
      await rolledOut(client, 3)
    }))
})
