import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { Pod } from '#api/core/v1/pod.ts'
import { podColumns, summarisePod } from './pod-columns.ts'

const now = Date.parse('2026-11-21T10:00:00Z')
const running = { running: { startedAt: '2026-11-21T09:00:00Z' } }

function status(name: string, state: object, more: object = {}): object {
  return { name, ready: false, restartCount: 0, image: 'x', imageID: 'x', state, ...more }
}

function pod(podStatus: object, spec: object = {}, metadata: object = {}): Pod {
  return {
    metadata: { name: 'p', ...metadata },
    spec: { containers: [{ name: 'a' }, { name: 'b' }], ...spec },
    status: podStatus,
  } as unknown as Pod
}

const init = { initContainers: [{ name: 'i' }, { name: 'j' }] }
const cases: readonly { readonly name: string; readonly pod: Pod; readonly shown: string; readonly ready: string }[] = [
  { name: 'nothing known', pod: pod({ phase: 'Pending' }), shown: 'Pending', ready: '0/2' },
  {
    name: 'both running',
    pod: pod({ phase: 'Running', containerStatuses: [status('a', running, { ready: true }), status('b', running, { ready: true })] }),
    shown: 'Running',
    ready: '2/2',
  },
  {
    name: 'one waiting',
    pod: pod({
      phase: 'Running',
      containerStatuses: [status('a', { waiting: { reason: 'CrashLoopBackOff' } }), status('b', running, { ready: true })],
    }),
    shown: 'CrashLoopBackOff',
    ready: '1/2',
  },
  {
    name: 'ended well',
    pod: pod({ phase: 'Succeeded', containerStatuses: [status('a', { terminated: { exitCode: 0, reason: 'Completed' } })] }),
    shown: 'Completed',
    ready: '0/2',
  },
  {
    name: 'one ended well, one running',
    pod: pod({
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: [status('a', { terminated: { exitCode: 0, reason: 'Completed' } }), status('b', running, { ready: true })],
    }),
    shown: 'Running',
    ready: '1/2',
  },
  {
    name: 'one ended well, one running, not ready',
    pod: pod({
      phase: 'Running',
      containerStatuses: [status('a', { terminated: { exitCode: 0, reason: 'Completed' } }), status('b', running, { ready: true })],
    }),
    shown: 'NotReady',
    ready: '1/2',
  },
  {
    name: 'ended by a signal',
    pod: pod({ phase: 'Failed', containerStatuses: [status('a', { terminated: { exitCode: 137, signal: 9 } })] }),
    shown: 'Signal:9',
    ready: '0/2',
  },
  {
    name: 'ended badly',
    pod: pod({ phase: 'Failed', containerStatuses: [status('a', { terminated: { exitCode: 3 } })] }),
    shown: 'ExitCode:3',
    ready: '0/2',
  },
  { name: 'a reason of its own', pod: pod({ phase: 'Failed', reason: 'Evicted' }), shown: 'Evicted', ready: '0/2' },
  {
    name: 'gated',
    pod: pod({ phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] }),
    shown: 'SchedulingGated',
    ready: '0/2',
  },
  {
    name: 'initialising',
    pod: pod({ phase: 'Pending', initContainerStatuses: [status('i', { terminated: { exitCode: 0 } }), status('j', running)] }, init),
    shown: 'Init:1/2',
    ready: '0/2',
  },
  {
    name: 'failing to initialise',
    pod: pod({ phase: 'Pending', initContainerStatuses: [status('i', { terminated: { exitCode: 1, reason: 'Error' } })] }, init),
    shown: 'Init:Error',
    ready: '0/2',
  },
  {
    name: 'waiting to initialise again',
    pod: pod({ phase: 'Pending', initContainerStatuses: [status('i', { waiting: { reason: 'CrashLoopBackOff' } })] }, init),
    shown: 'Init:CrashLoopBackOff',
    ready: '0/2',
  },
  {
    name: 'a sidecar beside one that runs',
    pod: pod(
      {
        phase: 'Running',
        initContainerStatuses: [status('side', running, { started: true, ready: true })],
        containerStatuses: [status('a', running, { ready: true })],
      },
      { initContainers: [{ name: 'side', restartPolicy: 'Always' }], containers: [{ name: 'a' }] },
    ),
    shown: 'Running',
    ready: '2/2',
  },
  {
    name: 'being deleted',
    pod: pod({ phase: 'Running' }, {}, { deletionTimestamp: '2026-11-21T10:00:00Z' }),
    shown: 'Terminating',
    ready: '0/2',
  },
  {
    name: 'deleted but over',
    pod: pod({ phase: 'Succeeded' }, {}, { deletionTimestamp: '2026-11-21T10:00:00Z' }),
    shown: 'Succeeded',
    ready: '0/2',
  },
  {
    name: 'on a lost node',
    pod: pod({ phase: 'Running', reason: 'NodeLost' }, {}, { deletionTimestamp: '2026-11-21T10:00:00Z' }),
    shown: 'Unknown',
    ready: '0/2',
  },
]

for (const { name, pod: object, shown, ready } of cases) {
  test(`a pod with ${name} shows ${shown}`, () => {
    const { status: text, ready: up, total } = summarisePod(object)
    assert.deepEqual([text, `${up}/${total}`], [shown, ready])
  })
}

test('restarts show the time of the last one', () => {
  const restarted = { restartCount: 4, lastState: { terminated: { exitCode: 1, finishedAt: '2026-11-21T09:55:00Z' } } }
  const cells = podColumns.map(({ name, cell }) => [
    name,
    cell(pod({ phase: 'Running', podIP: '127.0.0.2', containerStatuses: [status('a', running, restarted)] }, { nodeName: 'n' }), now),
  ])
  assert.deepEqual(cells, [
    ['Name', 'p'],
    ['Ready', '0/2'],
    ['Status', 'Running'],
    ['Restarts', '4 (5m ago)'],
    ['Age', '<unknown>'],
    ['IP', '127.0.0.2'],
    ['Node', 'n'],
    ['Nominated Node', '<none>'],
    ['Readiness Gates', '<none>'],
  ])
})
