import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { Pod, PodStatus } from '#api/core/v1/pod.ts'
import { names } from '../names.ts'
import { decideFill, type FillObservation } from './decide-fill.ts'

function claim(phase: string, annotations: Record<string, string> = {}): PersistentVolumeClaim {
  return { metadata: { name: 'disk', annotations }, spec: { storageClassName: 'local' }, status: { phase } }
}

function pod(status: PodStatus, deletionTimestamp?: string): Pod {
  return {
    metadata: { name: 'importer-disk', ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) },
    spec: { containers: [] },
    status,
  }
}

function ended(exitCode: number, message: object | string, place: 'state' | 'lastState' = 'state'): PodStatus {
  const text = typeof message === 'string' ? message : JSON.stringify(message)
  const terminated = { exitCode, reason: 'Error', message: text }
  const more =
    place === 'state' ? { state: { terminated } } : { state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: { terminated } }
  return { phase: 'Running', containerStatuses: [{ name: 'importer', image: '', imageID: '', ready: false, restartCount: 1, ...more }] }
}

const bound = claim('Bound')
const wait = { reason: 'CloneWithoutSource', message: 'there is none' }
const notFound = { reason: 'NotFound', message: '404', fatal: false }
const running: PodStatus = {
  phase: 'Running',
  containerStatuses: [{ name: 'importer', image: '', imageID: '', ready: true, restartCount: 0, state: { running: {} } }],
}

suite('decideFill()', () => {
  const rows: readonly (readonly [string, Partial<FillObservation>, object])[] = [
    ['a bound claim gets a worker', {}, { kind: 'startWorker' }],
    ['a claim waits for its source', { obstacle: wait }, { kind: 'awaitSource', wait }],
    ['a claim waits for its volume', { claim: claim('Pending') }, { kind: 'awaitVolume' }],
    ['a claim waits for its first pod', { claim: claim('Pending'), bindsLate: true }, { kind: 'awaitConsumer' }],
    ['a worker may be the first pod', { claim: claim('Pending'), bindsLate: true, bindsAtOnce: true }, { kind: 'startWorker' }],
    ['a lost claim gets no worker', { claim: claim('Lost') }, { kind: 'awaitVolume', reason: 'ClaimLost' }],
    [
      'a full claim is full, whatever its source',
      { claim: claim('Bound', { [names.podPhase]: 'Succeeded' }), obstacle: wait },
      { kind: 'filled' },
    ],
    [
      'a failure is recorded on the claim',
      { claim: claim('Bound', { [names.fatalError]: 'true', [names.runningReason]: 'NoDisk' }) },
      { kind: 'failed', reason: 'NoDisk' },
    ],
    ['a worker that has not started is followed', { pod: pod({ phase: 'Pending' }) }, { kind: 'follow' }],
    ['one of another process is made again', { pod: pod({ phase: 'Pending' }), isComplete: false }, { kind: 'replaceWorker' }],
    ['but not when it has started', { pod: pod(running), isComplete: false }, { kind: 'follow' }],
    ['a worker on its way out is awaited', { pod: pod({ phase: 'Pending' }, '2026-01-01T00:00:00Z') }, { kind: 'awaitWorker' }],
    ['a worker that fails for now is followed', { pod: pod(ended(1, notFound)) }, { kind: 'follow', reason: 'NotFound' }],
    ['one that was killed, too', { pod: pod(ended(137, '')) }, { kind: 'follow', reason: 'Error' }],
    [
      'one that fails for good is recorded',
      { pod: pod(ended(2, { ...notFound, fatal: true })) },
      { kind: 'recordFailure', reason: 'NotFound' },
    ],
    ['also while the kubelet backs off', { pod: pod(ended(2, { ...notFound, fatal: true }, 'lastState')) }, { kind: 'recordFailure' }],
    ['one that has ended well is recorded', { pod: pod({ phase: 'Succeeded' }) }, { kind: 'recordSuccess' }],
    [
      'one whose node is drained is replaced',
      { pod: pod({ phase: 'Failed', reason: 'Evicted', message: 'drained' }) },
      { kind: 'replaceWorker' },
    ],
    [
      'one that takes too long fails',
      { pod: pod({ phase: 'Failed', reason: 'DeadlineExceeded' }) },
      { kind: 'recordFailure', reason: 'DeadlineExceeded' },
    ],
    [
      'one that cannot be scheduled says why',
      {
        pod: pod({
          phase: 'Pending',
          conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'no node' }],
        }),
      },
      { kind: 'follow', reason: 'Unschedulable' },
    ],
  ]
  for (const [name, given, expected] of rows)
    test(name, () => {
      const observed = {
        claim: bound,
        pod: undefined,
        bindsLate: false,
        bindsAtOnce: false,
        obstacle: undefined,
        isComplete: true,
        progress: undefined,
      }
      const step = decideFill({ ...observed, ...given })
      const reason = 'wait' in step ? step.wait?.reason : undefined
      const shown = {
        kind: step.kind,
        ...('wait' in expected ? { wait: 'wait' in step ? step.wait : undefined } : {}),
        ...('reason' in expected ? { reason } : {}),
      }
      assert.deepEqual(shown, expected)
    })
})
