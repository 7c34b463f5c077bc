import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Container } from '#api/core/v1/container.ts'
import type { Pod, PodSpec } from '#api/core/v1/pod.ts'
import type { ExitedRecord, RunningRecord } from '../container/container.ts'
import { type ContainerView, unknownContainer } from './container-view.ts'
import { planPod, type PodPlan } from './plan.ts'
import { nextRun, restartDelayMs } from './restart-backoff.ts'
import { podStatus } from './status.ts'

const now = 1_000_000

function pod(containers: readonly Container[], spec: Partial<PodSpec> = {}): Pod {
  return { metadata: { name: 'p', namespace: 'default', uid: 'u' }, spec: { containers: [...containers], ...spec } }
}

const base = { restart: 0, attempt: 0, startedAt: now - 1000, image: 'i' }

function running(container: string, ready = true, started = true): ContainerView {
  const current: RunningRecord = { ...base, container, state: 'running', process: { pid: 1, startTime: '1', bootId: 'b' } }
  return { ...unknownContainer, current, started, ready }
}

function exited(container: string, exitCode: number, more: Partial<ExitedRecord> = {}, backoffLevel = 0): ContainerView {
  const exit = { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', finishedAt: now }
  return { ...unknownContainer, backoffLevel, current: { ...base, container, state: 'exited', exit, ...more } }
}

const main: Container = { name: 'main' }
const side: Container = { name: 'side', restartPolicy: 'Always' }
const init: Container = { name: 'init' }

interface Case {
  readonly name: string
  readonly reason: string
  readonly pod: Pod
  readonly views?: Readonly<Record<string, ContainerView>>
  readonly start?: readonly string[]
  readonly stop?: readonly string[]
  readonly phase: string
  readonly recheckAt?: number
  readonly waiting?: Readonly<Record<string, string>>
}

const cases: readonly Case[] = [
  { name: 'starts a new pod', reason: 'nothing ran yet', pod: pod([main]), start: ['main'], phase: 'Pending' },
  { name: 'does not change a running pod', reason: 'all is well', pod: pod([main]), views: { main: running('main') }, phase: 'Running' },
  {
    name: 'runs init containers first, one by one',
    reason: 'the second must see what the first did',
    pod: pod([main], { initContainers: [init, { name: 'init2' }] }),
    start: ['init'],
    phase: 'Pending',
    waiting: { main: 'PodInitializing' },
  },
  {
    name: 'starts the others once initialization is over',
    reason: 'all init containers succeeded',
    pod: pod([main], { initContainers: [init] }),
    views: { init: exited('init', 0) },
    start: ['main'],
    phase: 'Pending',
  },
  {
    name: 'tries a failed init container again',
    reason: 'Always means OnFailure for init containers',
    pod: pod([main], { initContainers: [init] }),
    views: { init: exited('init', 1) },
    start: ['init'],
    phase: 'Pending',
    waiting: { main: 'PodInitializing' },
  },
  {
    name: 'fails when an init container of a Never pod fails',
    reason: 'restartPolicy Never',
    pod: pod([main], { initContainers: [init], restartPolicy: 'Never' }),
    views: { init: exited('init', 1) },
    phase: 'Failed',
    waiting: { main: 'PodInitializing' },
  },
  {
    name: 'waits for a sidecar to be started',
    reason: 'its startup probe has not passed',
    pod: pod([main], { initContainers: [side] }),
    views: { side: running('side', false, false) },
    phase: 'Pending',
    waiting: { main: 'PodInitializing' },
  },
  {
    name: 'ends sidecars when the work is done',
    reason: 'they must not keep a job alive',
    pod: pod([main], { initContainers: [side], restartPolicy: 'Never' }),
    views: { side: running('side'), main: exited('main', 0) },
    stop: ['side'],
    phase: 'Succeeded',
  },
  {
    name: 'restarts a sidecar while the pod runs',
    reason: 'it is not bound by the policy of the pod',
    pod: pod([main], { initContainers: [side], restartPolicy: 'Never' }),
    views: { side: exited('side', 0), main: running('main') },
    start: ['side'],
    phase: 'Running',
  },
  {
    name: 'restarts at once the first time',
    reason: 'no back-off before the first restart',
    pod: pod([main]),
    views: { main: exited('main', 1) },
    start: ['main'],
    phase: 'Running',
  },
  {
    name: 'backs off the second time',
    reason: '1 s after the first quick restart',
    pod: pod([main]),
    views: { main: exited('main', 1, { restart: 1 }, 1) },
    phase: 'Running',
    recheckAt: now + 1000,
    waiting: { main: 'CrashLoopBackOff' },
  },
  {
    name: 'forgets failures after a long run',
    reason: 'it ran for five minutes',
    pod: pod([main]),
    views: { main: exited('main', 1, { startedAt: now - 300_000 }, 7) },
    start: ['main'],
    phase: 'Running',
  },
  {
    name: 'does not restart what succeeded under OnFailure',
    reason: 'its work is done',
    pod: pod([main], { restartPolicy: 'OnFailure' }),
    views: { main: exited('main', 0) },
    phase: 'Succeeded',
  },
  {
    name: 'waits while one container still works',
    reason: 'the other has failed for good',
    pod: pod([main, { name: 'two' }], { restartPolicy: 'Never' }),
    views: { main: exited('main', 1), two: running('two') },
    phase: 'Running',
  },
  {
    name: 'reports what delays a container',
    reason: 'its image is missing',
    pod: pod([main]),
    views: { main: { ...unknownContainer, startFailure: { reason: 'ErrImagePull', message: 'no', retryAt: now + 5 } } },
    phase: 'Pending',
    recheckAt: now + 5,
    waiting: { main: 'ErrImagePull' },
  },
]

function views(one: Case): ReadonlyMap<string, ContainerView> {
  return new Map(Object.entries(one.views ?? {}))
}

suite('planPod()', () => {
  for (const one of cases) {
    test(one.name, () => {
      const plan = planPod(one.pod, views(one), now)
      const comparable = { ...plan, waiting: Object.fromEntries([...plan.waiting].map(([name, { reason }]) => [name, reason])) }
      const { start = [], stop = [], phase, recheckAt, waiting = {} } = one
      assert.deepEqual(
        { ...comparable, initialized: undefined },
        { start, stop, phase, recheckAt, waiting, initialized: undefined },
        one.reason,
      )
    })
  }
})

suite('podStatus()', () => {
  const statusOf = (one: Pod, all: Readonly<Record<string, ContainerView>>): ReturnType<typeof podStatus> => {
    const map = new Map(Object.entries(all))
    const plan: PodPlan = planPod(one, map, now)
    return podStatus(one, plan, map, {
      podUid: 'u',
      hostIP: '10.0.0.1',
      podIP: '10.0.0.1',
      startTime: now,
      now,
      prepared: true,
      isStatic: false,
      last: undefined,
    })
  }
  const readyOf = (one: Pod, all: Readonly<Record<string, ContainerView>>): unknown => {
    const { status, reason } = statusOf(one, all).conditions?.find(({ type }) => type === 'Ready') ?? {}
    return [status, reason]
  }

  test('is ready when all containers are', () => assert.deepEqual(readyOf(pod([main]), { main: running('main') }), ['True', undefined]))
  test('is not ready while one is not', () =>
    assert.deepEqual(readyOf(pod([main, { name: 'two' }]), { main: running('main'), two: running('two', false) }), [
      'False',
      'ContainersNotReady',
    ]))
  test('waits for readiness gates', () => {
    const gated = pod([main], { readinessGates: [{ conditionType: 'example.org/ok' }] })
    assert.deepEqual(readyOf(gated, { main: running('main') }), ['False', 'ReadinessGatesNotReady'])
    const open: Pod = { ...gated, status: { conditions: [{ type: 'example.org/ok', status: 'True' }] } }
    assert.deepEqual(readyOf(open, { main: running('main') }), ['True', undefined])
  })
  test('is not ready once it has ended', () =>
    assert.deepEqual(readyOf(pod([main], { restartPolicy: 'Never' }), { main: exited('main', 0) }), ['False', 'PodCompleted']))
  test('shows the termination state of the previous run', () => {
    const before = exited('main', 3).current as ExitedRecord
    const view: ContainerView = { ...running('main'), previous: before }
    const status = statusOf(pod([main]), { main: view }).containerStatuses?.[0]
    assert.equal(status?.lastState?.terminated?.exitCode, 3)
  })
})

suite('restartDelayMs()', () => {
  test('doubles from 1 s to 60 s after one restart without delay', () => {
    assert.deepEqual([0, 1, 2, 3, 6, 7, 20].map(restartDelayMs), [0, 1000, 2000, 4000, 32_000, 60_000, 60_000])
  })
  test('continues from the known level', () => {
    const ended = exited('main', 1).current as ExitedRecord
    assert.deepEqual(nextRun(ended, 2), { startAt: now + 2000, level: 3, delayMs: 2000 })
  })
})
