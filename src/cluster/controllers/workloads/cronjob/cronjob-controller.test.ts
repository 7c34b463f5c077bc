import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CronJob } from '#api/batch/v1/cron-job.ts'
import { cronJobs, jobs } from '#api/batch/v1/resources.ts'
import { startEmbeddedCluster } from '#cluster/embedded-api.fixture.ts'
import { startFakeKubelets, until } from '../fake-kubelets.fixture.ts'

test('a CronJob creates Jobs at its times, and keeps as many as wanted', async () => {
  await using cluster = await startEmbeddedCluster()
  const { client } = cluster
  await using _nodes = await startFakeKubelets(client, ['n1'], () => 'succeeds')
  const key = { namespace: 'default', name: 'often' }
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'a:1' }] } }
  const spec = { schedule: '@every 1s', successfulJobsHistoryLimit: 1, jobTemplate: { spec: { template } } }
  await client.create(cronJobs, { metadata: key, spec } as CronJob)
  const { status } = await until(async () => {
    const found = await client.get(cronJobs, key)
    return found.status?.lastSuccessfulTime !== undefined && found
  })
  assert.ok(status?.lastScheduleTime !== undefined)
  const [made] = (await client.list(jobs, { namespace: 'default' })).items
  assert.match(made?.metadata.name ?? '', /^often-\d+$/)
  assert.equal(made?.metadata.ownerReferences?.[0]?.kind, 'CronJob')
  await client.patch(cronJobs, key, { type: 'merge', body: { spec: { suspend: true, successfulJobsHistoryLimit: 0 } } })
  await until(async () => (await client.list(jobs, { namespace: 'default' })).items.length === 0)
  await until(async () => (await client.get(cronJobs, key)).status?.active === undefined)
})
