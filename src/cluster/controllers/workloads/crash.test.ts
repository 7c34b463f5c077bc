import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { DaemonSet } from '#api/apps/v1/daemon-set.ts'
import type { Deployment } from '#api/apps/v1/deployment.ts'
import { controllerRevisions, daemonSets, deployments, replicaSets, statefulSets } from '#api/apps/v1/resources.ts'
import type { StatefulSet } from '#api/apps/v1/stateful-set.ts'
import type { CronJob } from '#api/batch/v1/cron-job.ts'
import type { Job } from '#api/batch/v1/job.ts'
import { cronJobs, jobs } from '#api/batch/v1/resources.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { pods } from '#api/core/v1/resources.ts'
import { isTrue } from '#apimachinery/conditions.ts'
import type { Client } from '#client/client.ts'
import { startEmbeddedCluster } from '#cluster/embedded-api.fixture.ts'
import { type CrashPoint, crashingClient } from '#cluster/crashing-client.fixture.ts'
import { createScheduler } from '#cluster/scheduler/index.ts'
import { createInformerSet } from '#runtime/cache/informer-set.ts'
import { systemClock as clock } from '#runtime/clock/clock.ts'
import { silentLogger as log } from '#runtime/process/log.ts'
import { everyNth } from '#test/effort.ts'
import { createGarbageCollector } from '../garbage-collector/garbage-collector.ts'
import { createNodeLifecycleController } from '../nodes/lifecycle/node-lifecycle-controller.ts'
import { createServiceAccountController } from '../namespaces/service-account/service-account-controller.ts'
import { type PodOutcome, startFakeKubelets, until } from './fake-kubelets.fixture.ts'
import { isActive } from './pods/pod-state.ts'
import { createWorkloadControllers } from './workload-controllers.ts'

const namespace = 'default'
const labels = { app: 'a' }

/**
 * Runs the workload controllers until they die, or the work is done. Resolves to whether they lived
 * to see it.
 */
async function runOnce(client: Client, crash: CrashPoint, work: Promise<void>): Promise<boolean> {
  const crashing = crashingClient(client, crash)
  const informers = createInformerSet({ client: crashing.client, clock, log, freeze: true })
  const controllers = createWorkloadControllers({ client: crashing.client, informers, clock, log })
  const stop = new AbortController()
  const running = Promise.all([informers.run(stop.signal), ...controllers.map((controller) => controller.run(stop.signal))])
  const survived = await Promise.race([crashing.crashed.then(() => false), work.then(() => true)])
  stop.abort()
  await running
  return survived
}

interface Scenario {
  readonly name: string
  readonly start: (client: Client) => Promise<unknown>
  /** Reports whether the desired state is reached, without surplus objects. */
  readonly isDone: (client: Client) => Promise<boolean>
  /** Active pods at any time, at most. */
  readonly mostPods: number
  /** Odd: dies at every write, or at each so many of them. */
  readonly stride: number
}

const template = (image: string): Deployment['spec']['template'] => ({
  metadata: { labels },
  spec: { containers: [{ name: 'main', image }] },
})
const changeImage = { spec: { template: { spec: { containers: [{ name: 'main', image: 'a:2' }] } } } }
const active = async (client: Client): Promise<readonly Pod[]> => (await client.list(pods, { namespace })).items.filter(isActive)
const areNew = (found: readonly Pod[], count: number): boolean =>
  found.length === count && found.every(({ spec }) => spec.containers[0]?.image === 'a:2')

const fates: Readonly<Record<string, PodOutcome>> = { succeeds: 'succeeds', fails: 'fails' }

const scenarios: readonly Scenario[] = [
  {
    name: 'a deployment that rolls out',
    async start(client) {
      const deployment: Deployment = {
        metadata: { namespace, name: 'a' },
        spec: { replicas: 3, selector: { matchLabels: labels }, template: template('a:1') },
      }
      await client.create(deployments, deployment)
      void until(async () => (await client.get(deployments, { namespace, name: 'a' })).status?.availableReplicas === 3)
        .then(() => client.patch(deployments, { namespace, name: 'a' }, { type: 'strategic', body: changeImage }))
        .catch(() => {})
    },
    async isDone(client) {
      const { status } = await client.get(deployments, { namespace, name: 'a' })
      const sets = (await client.list(replicaSets, { namespace })).items
      return areNew(await active(client), 3) && status?.updatedReplicas === 3 && status.replicas === 3 && sets.length === 2
    },
    mostPods: 4,
    stride: 3,
  },
  {
    name: 'a daemon set that rolls out',
    async start(client) {
      const daemonSet: DaemonSet = {
        metadata: { namespace, name: 'a' },
        spec: { selector: { matchLabels: labels }, template: template('a:1') },
      }
      await client.create(daemonSets, daemonSet)
      void until(async () => (await client.get(daemonSets, { namespace, name: 'a' })).status?.numberAvailable === 2)
        .then(() => client.patch(daemonSets, { namespace, name: 'a' }, { type: 'strategic', body: changeImage }))
        .catch(() => {})
    },
    async isDone(client) {
      const { status } = await client.get(daemonSets, { namespace, name: 'a' })
      const revisions = (await client.list(controllerRevisions, { namespace })).items
      return areNew(await active(client), 2) && status?.updatedNumberScheduled === 2 && revisions.length === 2
    },
    mostPods: 2,
    stride: 1,
  },
  {
    name: 'a stateful set that rolls out',
    async start(client) {
      const statefulSet: StatefulSet = {
        metadata: { namespace, name: 'a' },
        spec: { replicas: 3, selector: { matchLabels: labels }, template: template('a:1') },
      }
      await client.create(statefulSets, statefulSet)
      void until(async () => (await client.get(statefulSets, { namespace, name: 'a' })).status?.availableReplicas === 3)
        .then(() => client.patch(statefulSets, { namespace, name: 'a' }, { type: 'strategic', body: changeImage }))
        .catch(() => {})
    },
    async isDone(client) {
      const { status } = await client.get(statefulSets, { namespace, name: 'a' })
      const isRolledOut = status?.currentRevision === status?.updateRevision && status?.updatedReplicas === 3
      return areNew(await active(client), 3) && isRolledOut && (await client.list(controllerRevisions, { namespace })).items.length === 2
    },
    mostPods: 3,
    stride: 3,
  },
  {
    name: 'a job whose indexes may fail',
    async start(client) {
      const { spec } = template('fails')
      const job: Job = {
        metadata: { namespace, name: 'a' },
        spec: {
          completionMode: 'Indexed',
          completions: 3,
          parallelism: 3,
          backoffLimitPerIndex: 0,
          template: { spec: { ...spec, restartPolicy: 'Never' } },
        },
      }
      await client.create(jobs, job)
    },
    async isDone(client) {
      const { status } = await client.get(jobs, { namespace, name: 'a' })
      if (!isTrue(status?.conditions, 'Failed')) return false
      assert.deepEqual([status?.failed, status?.failedIndexes], [3, '0-2'])
      const found = (await client.list(pods, { namespace })).items
      assert.equal(found.length, 3)
      return found.every(({ metadata }) => (metadata.finalizers ?? []).length === 0)
    },
    mostPods: 3,
    stride: 1,
  },
  {
    name: 'a job',
    async start(client) {
      const { spec } = template('succeeds')
      const job: Job = {
        metadata: { namespace, name: 'a' },
        spec: { completions: 3, parallelism: 2, template: { spec: { ...spec, restartPolicy: 'Never' } } },
      }
      await client.create(jobs, job)
    },
    async isDone(client) {
      const { status } = await client.get(jobs, { namespace, name: 'a' })
      if (!isTrue(status?.conditions, 'Complete')) return false
      assert.deepEqual([status?.succeeded, status?.failed], [3, undefined])
      const found = (await client.list(pods, { namespace })).items
      assert.equal(found.length, 3)
      return found.every(({ metadata }) => (metadata.finalizers ?? []).length === 0)
    },
    mostPods: 2,
    stride: 1,
  },
  {
    name: 'a cron job',
    async start(client) {
      const { spec } = template('succeeds')
      const jobTemplate = { spec: { template: { spec: { ...spec, restartPolicy: 'Never' as const } } } }
      const cronJob: CronJob = { metadata: { namespace, name: 'a' }, spec: { schedule: '@every 1s', jobTemplate } }
      await client.create(cronJobs, cronJob)
    },
    async isDone(client) {
      const { status } = await client.get(cronJobs, { namespace, name: 'a' })
      if (status?.lastSuccessfulTime === undefined || status.active !== undefined) return false
      // Names have the minute: the test may see the next one.
      const made = (await client.list(jobs, { namespace })).items
      assert.ok(made.length <= 2, `${made.length} jobs`)
      return made.every((job) => isTrue(job.status?.conditions, 'Complete'))
    },
    mostPods: 2,
    stride: 1,
  },
]

suite('workload controllers that are killed at each of their writes', () => {
  for (const { name, start, isDone, mostPods, stride } of scenarios) {
    test(`bring ${name} to the same final state, without a surplus pod`, async () => {
      for (const atWrite of everyNth({ default: 5 * stride, long: stride })) {
        const crash = { atWrite, isDone: atWrite % 2 === 0 }
        await using cluster = await startEmbeddedCluster((options) => [
          createScheduler(options),
          createGarbageCollector(options),
          createServiceAccountController(options),
          createNodeLifecycleController(options),
        ])
        const { client } = cluster
        await using _nodes = await startFakeKubelets(client, ['n1', 'n2'], ({ spec }) => fates[spec.containers[0]?.image ?? ''] ?? 'ready')
        let most = 0
        const stop = new AbortController()
        const { resourceVersion = '' } = (await client.list(pods)).metadata
        const known = new Map<string, boolean>()
        const watching = (async () => {
          for await (const { type, object } of client.watch(pods, { resourceVersion, signal: stop.signal })) {
            known.set(object.metadata.uid ?? '', type !== 'DELETED' && isActive(object))
            most = Math.max(most, [...known.values()].filter(Boolean).length)
          }
        })().catch(() => {})
        await start(client)
        const work = until(async () => (await isDone(client)) || false).then(() => {})
        let survived = await runOnce(client, crash, work)
        const hasDied = !survived
        while (!survived) survived = await runOnce(client, { atWrite: Infinity, isDone: false }, work)
        stop.abort()
        await watching
        assert.ok(most <= mostPods, `${most} pods at once after crash at write ${atWrite}`)
        if (!hasDied) break
      }
    })
  }
})
