import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Container } from '#api/core/v1/container.ts'
import type { Pod, PodSpec } from '#api/core/v1/pod.ts'
import type { ExitedRecord, RunningRecord } from '../container/container.ts'
import { type ContainerView, unknownContainer } from './container-view.ts'
import {
  failuresOf,
  historyOf,
  initialState,
  nextStep,
  withStart,
  withStartFailure,
  withTermination,
  type WorkerState,
  type WorkerStep,
} from './worker-state.ts'

const now = 1_000_000
const main: Container = { name: 'main' }
const sidecar: Container = { name: 'sidecar', restartPolicy: 'Always' }

function pod(spec: Partial<PodSpec> = {}): Pod {
  return { metadata: { name: 'p', namespace: 'default', uid: 'u' }, spec: { containers: [main], ...spec } }
}

const record = { restart: 0, attempt: 0, startedAt: now - 9000, image: 'i', container: 'main' }
const runningRecord: RunningRecord = { ...record, state: 'running', process: { pid: 1, startTime: '1', bootId: 'b' } }
const running: ContainerView = { ...unknownContainer, current: runningRecord, started: true, ready: true }

function exitedRecord(finishedAt: number, exitCode = 0): ExitedRecord {
  return { ...record, state: 'exited', exit: { exitCode, reason: 'Completed', finishedAt } }
}

function exited(finishedAt: number): ContainerView {
  return { ...unknownContainer, current: exitedRecord(finishedAt) }
}

const fresh = initialState({ acceptedAt: now - 10_000 }, [])

interface Case {
  readonly name: string
  readonly reason: string
  readonly pod?: Pod
  readonly state?: WorkerState
  readonly views?: Readonly<Record<string, ContainerView>>
  readonly step: Readonly<Record<string, unknown>>
}

const cases: readonly Case[] = [
  {
    name: 'starts a new pod',
    reason: 'no container has run',
    step: { kind: 'run', phase: 'Pending', start: ['main'], stop: [], wakeAt: undefined },
  },
  {
    name: 'waits for a change while all containers run',
    reason: 'no deadline is set',
    views: { main: running },
    step: { kind: 'run', phase: 'Running', start: [], stop: [], wakeAt: undefined },
  },
  {
    name: 'wakes at the active deadline',
    reason: 'accepted 10 s ago, with 15 s to run',
    pod: pod({ activeDeadlineSeconds: 15 }),
    views: { main: running },
    step: { kind: 'run', phase: 'Running', start: [], stop: [], wakeAt: now + 5000 },
  },
  {
    name: 'fails a pod at its active deadline and stops what runs',
    reason: 'a controller must see DeadlineExceeded',
    pod: pod({ activeDeadlineSeconds: 10 }),
    views: { main: running },
    step: { kind: 'run', phase: 'Failed', start: [], stop: ['main'], wakeAt: undefined, expired: 'DeadlineExceeded' },
  },
  {
    name: 'starts nothing after the active deadline',
    reason: 'the pod has failed, although no container ever ran',
    pod: pod({ activeDeadlineSeconds: 1 }),
    step: { kind: 'run', phase: 'Failed', start: [], stop: [], wakeAt: undefined, expired: 'DeadlineExceeded' },
  },
  {
    name: 'keeps the result of a pod that succeeded before its deadline',
    reason: 'the deadline has passed since',
    pod: pod({ activeDeadlineSeconds: 5, restartPolicy: 'Never' }),
    views: { main: exited(now - 5001) },
    step: { kind: 'run', phase: 'Succeeded', start: [], stop: [], wakeAt: undefined },
  },
  {
    name: 'fails a pod whose container exited after the deadline',
    reason: 'it was stopped for exceeding it',
    pod: pod({ activeDeadlineSeconds: 5, restartPolicy: 'Never' }),
    views: { main: exited(now - 4999) },
    step: { kind: 'run', phase: 'Failed', start: [], stop: [], wakeAt: undefined, expired: 'DeadlineExceeded' },
  },
  {
    name: 'sets no timer for a finished pod',
    reason: 'nothing changes any more',
    pod: pod({ activeDeadlineSeconds: 500, restartPolicy: 'Never' }),
    views: { main: exited(now - 1) },
    step: { kind: 'run', phase: 'Succeeded', start: [], stop: [], wakeAt: undefined },
  },
  {
    name: 'ends sidecars after all other containers',
    reason: 'the others may still need them while they shut down',
    pod: pod({ initContainers: [sidecar] }),
    state: withTermination(fresh, now),
    views: { main: running, sidecar: running },
    step: { kind: 'terminate', stages: [['main'], ['sidecar']] },
  },
  {
    name: 'terminates rather than expires',
    reason: 'a deleted pod is removed whatever its phase',
    pod: pod({ activeDeadlineSeconds: 1 }),
    state: withTermination(fresh, now + 30_000),
    views: { main: running },
    step: { kind: 'terminate', stages: [['main'], []] },
  },
  {
    name: 'waits after a start failure',
    reason: 'the first retry comes after one second',
    state: withStartFailure(fresh, 'main', { reason: 'ErrImagePull', message: 'no' }, now),
    step: { kind: 'run', phase: 'Pending', start: [], stop: [], wakeAt: now + 1000 },
  },
]

/** The step with the plan reduced to its phase. */
function summary(step: WorkerStep): Readonly<Record<string, unknown>> {
  if (step.kind === 'terminate') return { ...step }
  const { plan, expired, ...rest } = step
  return { ...rest, phase: plan.phase, ...(expired === undefined ? {} : { expired: expired.reason }) }
}

suite('nextStep()', () => {
  for (const one of cases) {
    test(`${one.name}: ${one.reason}`, () => {
      const state = one.state ?? fresh
      const views = new Map(
        Object.entries(one.views ?? {}).concat(
          [...state.containers].map(([name, { startFailure, backoffLevel }]) => [
            name,
            { ...unknownContainer, startFailure, backoffLevel },
          ]),
        ),
      )
      assert.deepEqual(summary(nextStep(one.pod ?? pod(), state, views, now)), one.step)
    })
  }
})

suite('worker state', () => {
  test('reads records: volumes are mounted once a container has run', () => {
    assert.equal(initialState({ acceptedAt: 1 }, [{ current: undefined, previous: undefined }]).prepared, false)
    assert.equal(initialState({ acceptedAt: 1 }, [{ current: runningRecord, previous: undefined }]).prepared, true)
  })
  test('continues a termination that an earlier kubelet began', () => {
    assert.equal(nextStep(pod(), initialState({ acceptedAt: 1, terminateBy: 5 }, []), new Map(), now).kind, 'terminate')
  })
  test('shortens the deadline of a termination and never extends it', () => {
    const first = withTermination(fresh, 500)
    assert.equal(withTermination(first, 400).terminateBy, 400)
    assert.equal(withTermination(first, 500), first)
    assert.equal(withTermination(first, 600), first)
  })
  test('keeps the deadline of a pod that is being removed', () => {
    const removing = { ...withTermination(fresh, 500), removing: true }
    assert.equal(withTermination(removing, 1), removing)
  })
  test('doubles the delay between start failures', () => {
    const reason = { reason: 'ErrImagePull', message: 'no' }
    const twice = withStartFailure(withStartFailure(fresh, 'main', reason, now), 'main', reason, now)
    assert.equal(failuresOf(twice, 'main'), 2)
    assert.equal(historyOf(twice, 'main').startFailure?.retryAt, now + 2000)
  })
  test('resets start failures at a start', () => {
    const failed = withStartFailure(fresh, 'main', { reason: 'ErrImagePull', message: 'no' }, now)
    assert.deepEqual(historyOf(withStart(failed, 'main', undefined), 'main'), { startFailure: undefined, failures: 0, backoffLevel: 0 })
  })
  test('raises the back-off level with each quick restart and resets it after a long run', () => {
    const quick = exitedRecord(now)
    const twice = withStart(withStart(fresh, 'main', quick), 'main', quick)
    assert.equal(historyOf(twice, 'main').backoffLevel, 2)
    assert.equal(historyOf(withStart(twice, 'main', exitedRecord(now + 600_000)), 'main').backoffLevel, 1)
  })
})
