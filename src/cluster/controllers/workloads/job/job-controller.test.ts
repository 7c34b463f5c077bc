import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Job } from '#api/batch/v1/job.ts'
import { jobs } from '#api/batch/v1/resources.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { pods } from '#api/core/v1/resources.ts'
import { isTrue } from '#apimachinery/conditions.ts'
import { isNotFound } from '#apimachinery/errors.ts'
import type { ObjectKey } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { startEmbeddedCluster } from '#cluster/embedded-api.fixture.ts'
import { type PodOutcome, startFakeKubelets, until } from '../fake-kubelets.fixture.ts'
import { indexOf } from './indexes/indexes.ts'

const key: ObjectKey = { namespace: 'default', name: 'sum' }

function sum(spec: Partial<Job['spec']> = {}): Job {
  const template = { spec: { restartPolicy: 'Never' as const, containers: [{ name: 'main', image: 'a:1' }] } }
  return { metadata: { namespace: 'default', name: 'sum' }, spec: { template, ...spec } }
}

async function withCluster(work: (client: Client) => Promise<void>, fateOf: (pod: Pod) => PodOutcome = () => 'succeeds'): Promise<void> {
  await using cluster = await startEmbeddedCluster()
  await using _nodes = await startFakeKubelets(cluster.client, ['n1'], fateOf)
  await work(cluster.client)
}

async function podsNow(client: Client): Promise<readonly Pod[]> {
  return (await client.list(pods, { namespace: 'default' })).items
}

async function ended(client: Client, type: 'Complete' | 'Failed'): Promise<Job> {
  return until(async () => {
    const job = await client.get(jobs, key)
    return isTrue(job.status?.conditions, type) && job
  })
}

const reasonOf = ({ status }: Job, type: string): string | undefined => status?.conditions?.find((one) => one.type === type)?.reason
const held = (pod: Pod): boolean => pod.metadata.finalizers?.includes('batch.kubernetes.io/job-tracking') === true

suite('the job controller', () => {
  test('runs as many pods as must succeed, counts each, and removes their finalizers', () =>
    withCluster(async (client) => {
      await client.create(jobs, sum({ completions: 5, parallelism: 2 }))
      const { status, metadata, spec } = await ended(client, 'Complete')
      assert.deepEqual([status?.succeeded, status?.failed, status?.active, status?.uncountedTerminatedPods], [5, undefined, undefined, {}])
      assert.ok(status?.startTime !== undefined && status.completionTime !== undefined)
      assert.equal(status.conditions?.map(({ type }) => type).join(), 'SuccessCriteriaMet,Complete')
      const found = await podsNow(client)
      assert.equal(found.length, 5)
      assert.ok(found.every((pod) => !held(pod)))
      assert.deepEqual(spec.selector?.matchLabels, { 'batch.kubernetes.io/controller-uid': metadata.uid })
      assert.ok(found.every((pod) => pod.metadata.labels?.['job-name'] === 'sum'))
    }))

  test('fails after backoffLimit failures', () =>
    withCluster(
      async (client) => {
        await client.create(jobs, sum({ backoffLimit: 0 }))
        const job = await ended(client, 'Failed')
        assert.equal(reasonOf(job, 'Failed'), 'BackoffLimitExceeded')
        assert.deepEqual([job.status?.failed, job.status?.succeeded], [1, undefined])
        assert.equal((await podsNow(client)).length, 1)
      },
      () => 'fails',
    ))

  test('fails at its deadline, and deletes its pods', () =>
    withCluster(
      async (client) => {
        await client.create(jobs, sum({ activeDeadlineSeconds: 1, parallelism: 2, completions: 2 }))
        const job = await ended(client, 'Failed')
        assert.equal(reasonOf(job, 'Failed'), 'DeadlineExceeded')
        await until(async () => (await podsNow(client)).length === 0)
      },
      () => 'ready',
    ))

  test('gives each pod a unique completion index, and completes each index once', () =>
    withCluster(async (client) => {
      await client.create(jobs, sum({ completions: 4, parallelism: 4, completionMode: 'Indexed' }))
      const { status } = await ended(client, 'Complete')
      assert.deepEqual([status?.succeeded, status?.completedIndexes], [4, '0-3'])
      assert.deepEqual(
        (await podsNow(client)).map((pod) => indexOf(pod) ?? -1).toSorted((a, b) => a - b),
        [0, 1, 2, 3],
      )
    }))

  test('runs no pods while it is suspended, and does not count pods that it deleted itself', () =>
    withCluster(
      async (client) => {
        await client.create(jobs, sum({ suspend: true }))
        await until(async () => isTrue((await client.get(jobs, key)).status?.conditions, 'Suspended'))
        await client.patch(jobs, key, { type: 'merge', body: { spec: { suspend: false } } })
        await until(async () => (await client.get(jobs, key)).status?.ready === 1)
        await client.patch(jobs, key, { type: 'merge', body: { spec: { suspend: true } } })
        await until(async () => (await podsNow(client)).length === 0)
        const { status } = await until(async () => {
          const job = await client.get(jobs, key)
          return isTrue(job.status?.conditions, 'Suspended') && (job.status?.active ?? 0) === 0 && job
        })
        assert.deepEqual([status?.failed, status?.startTime], [undefined, undefined])
      },
      () => 'ready',
    ))

  test('is deleted with its pods in every state, and by its TTL', () =>
    withCluster(
      async (client) => {
        await client.create(jobs, sum({ parallelism: 3, completions: 3 }))
        await until(async () => (await client.get(jobs, key)).status?.ready === 3)
        await client.delete(jobs, key, { propagationPolicy: 'Background' })
        await until(async () => (await podsNow(client)).length === 0)
        await client.create(jobs, { ...sum({ activeDeadlineSeconds: 1, ttlSecondsAfterFinished: 0 }) })
        await until(async () => {
          try {
            await client.get(jobs, key)
            return false
          } catch (error) {
            return isNotFound(error)
          }
        })
        assert.equal((await podsNow(client)).length, 0)
      },
      () => 'ready',
    ))
})
