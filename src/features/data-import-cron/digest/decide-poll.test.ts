import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { DataImportCron } from '#api/cdi/v1beta1/data-import-cron.ts'
import type { DataVolumeSource } from '#api/cdi/v1beta1/data-volume-source.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { importSettingsOf } from '#features/storage-profile/index.ts'
import { names } from '../names.ts'
import { nextPoll, nextTry } from './cron-schedule.ts'
import { decidePoll, type PollStep } from './decide-poll.ts'
import { pollerOf, taskOf } from './poller.ts'
import { sourceOf, urlAtDigest } from './source-of.ts'

const nowMs = Date.parse('2026-01-10T12:00:00Z')
const digest = `sha256:${'a'.repeat(64)}`
const registry: DataVolumeSource = { registry: { url: 'docker://quay.io/a/b:latest', secretRef: 'login', certConfigMap: 'ca' } }

function cron(
  source: DataVolumeSource,
  annotations: Readonly<Record<string, string>> = {},
  schedule: string = '0 * * * *',
): DataImportCron {
  return {
    metadata: { name: 'fedora-cron', namespace: 'images', uid: 'u', annotations: { ...annotations } },
    spec: { schedule, managedDataSource: 'fedora', template: { spec: { source } } },
  }
}

function pod(phase: string, message?: string, created: string = '2026-01-10T11:59:00Z'): Pod {
  const terminated = { exitCode: 0, reason: '', message, finishedAt: '2026-01-10T11:59:30Z' }
  const statuses =
    message === undefined ? [] : [{ name: 'importer', image: '', imageID: '', ready: false, restartCount: 0, state: { terminated } }]
  return {
    metadata: { name: 'p', creationTimestamp: created },
    spec: { containers: [] },
    status: { phase, containerStatuses: statuses },
  } as Pod
}

function step(of: DataImportCron, { poller, uid }: { readonly poller?: Pod; readonly uid?: string } = {}): PollStep {
  return decidePoll({ cron: of, source: sourceOf(of), poller, sourceClaimUid: uid, nowMs })
}

const later = { [names.nextCronTime]: '2026-01-10T13:00:00Z' }
const answer = JSON.stringify({ reason: 'Completed', message: '', fatal: false, digest })
const refusal = JSON.stringify({ reason: 'SourceRefused', message: 'log in', fatal: false })
const pinned: DataVolumeSource = { registry: { url: `docker://quay.io/a/b@${digest}` } }
const volume: DataVolumeSource = { pvc: { namespace: 'images', name: 'disk' } }

const cases: readonly [what: string, of: PollStep, kind: PollStep['kind'], reasonOrDigest?: string][] = [
  ['a new DataImportCron', step(cron(registry)), 'startPoller'],
  ['a file of a server', step(cron({ http: { url: 'https://a/b' } })), 'startPoller'],
  ['a time to come', step(cron(registry, later)), 'none'],
  ['a time that has come', step(cron(registry, { [names.nextCronTime]: '2026-01-10T12:00:00Z' })), 'startPoller'],
  ['no schedule', step(cron(registry, {}, '')), 'none'],
  ['a pod that runs', step(cron(registry), { poller: pod('Running') }), 'awaitPoller'],
  ['a pod with an answer', step(cron(registry), { poller: pod('Succeeded', answer) }), 'record', digest],
  ['a pod whose answer is recorded', step(cron(registry, later), { poller: pod('Succeeded', answer) }), 'removePoller'],
  ['a pod that was refused', step(cron(registry), { poller: pod('Failed', refusal) }), 'recordFailure', 'SourceRefused'],
  ['a pod without an answer', step(cron(registry), { poller: pod('Succeeded', 'hello') }), 'recordFailure', 'Error'],
  [
    'a pod that does not start',
    step(cron(registry), { poller: pod('Pending', undefined, '2026-01-10T11:00:00Z') }),
    'recordFailure',
    'NotStarted',
  ],
  ['an image by its digest', step(cron(pinned)), 'record', digest],
  ['an image by its digest, again', step(cron(pinned, { [names.desiredDigest]: digest })), 'none'],
  ['a volume', step(cron(volume), { uid: 'u-1' }), 'record', 'uid:u-1'],
  ['a volume that is not there', step(cron(volume)), 'recordFailure', 'NotFound'],
]

suite('decidePoll() with', () => {
  for (const [what, found, kind, expected] of cases)
    test(what, () => {
      assert.equal(found.kind, kind)
      if (expected !== undefined)
        assert.equal(found.kind === 'record' ? found.digest : found.kind === 'recordFailure' ? found.reason : '', expected)
    })
})

test('a source that could not be asked is asked again sooner, and a schedule may have a zone', () => {
  const [monthly, berlin] = ['0 0 1 * *', 'CRON_TZ=Europe/Berlin 0 3 * * *']
  const hour = 3_600_000
  assert.deepEqual(
    [nowMs, nowMs - hour / 2, nowMs - 24 * hour].map((since) => nextTry(monthly, nowMs, since) - nowMs),
    [300_000, hour / 2, hour],
  )
  assert.ok(nextPoll(monthly, nowMs) > nowMs + 86_400_000)
  assert.equal(nextPoll(berlin, nowMs), Date.parse('2026-01-11T02:00:00Z'))
  assert.ok(nextPoll('0 0 30 2 *', nowMs) > Date.parse('2999-01-01T00:00:00Z'))
})

test('an image is read by its digest, whatever its tag', () => {
  for (const [url, expected] of [
    ['docker://quay.io/a/b:latest', `docker://quay.io/a/b@${digest}`],
    ['docker://host:5000/a/b', `docker://host:5000/a/b@${digest}`],
    ['docker://host:5000/b:1', `docker://host:5000/b@${digest}`],
    [`docker://host/b:1@sha256:${'0'.repeat(64)}`, `docker://host/b@${digest}`],
  ] as const)
    assert.equal(urlAtDigest(url, digest), expected)
})

test('the pod that asks has the files of the source, and no secret in its environment', () => {
  const of = cron(registry)
  const source = sourceOf(of)
  assert.ok(source.kind === 'registry')
  const settings = { ...importSettingsOf(undefined, undefined), insecureRegistries: ['quay.io'] }
  const owner = { apiVersion: 'a/v1', kind: 'b', name: 'c', uid: 'd' }
  const { spec, metadata } = pollerOf(of, source, { image: 'importer:1', settings, owner })
  assert.deepEqual(
    spec.volumes?.map(({ name, secret, configMap }) => [name, secret?.secretName ?? configMap?.name]),
    [
      ['scratch', undefined],
      ['credentials', 'login'],
      ['authorities', 'ca'],
    ],
  )
  assert.ok((metadata.name ?? '').length <= 63)
  assert.deepEqual(taskOf(source, settings), {
    kind: 'digest',
    source: { kind: 'registry', url: 'docker://quay.io/a/b:latest', insecureSkipVerify: true },
  })
})
