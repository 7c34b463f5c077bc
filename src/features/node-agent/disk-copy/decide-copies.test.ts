import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { DiskBackup } from '#qemu/index.ts'
import { decideCopies, type CopyStep, type ObservedCopies } from './decide-copies.ts'

const request = { id: 'one', snapshotName: 'snap', disks: [{ volume: 'a', claimName: 'c', volumeMode: 'Filesystem', podUid: 'p' }] }
const job = (change: Partial<DiskBackup> = {}): DiskBackup => ({
  set: 'one',
  name: 'a',
  state: 'copying',
  totalBytes: 100,
  copiedBytes: 45,
  ...change,
})
const copying = { id: 'one', phase: 'Copying', startTime: '2026-01-01T00:00:00Z' } as const
const nothing: ObservedCopies = { request: undefined, state: undefined, jobs: [], hasTargets: false, isMoving: false }

const rows: readonly (Partial<ObservedCopies> & { readonly reason: string; readonly step: CopyStep })[] = [
  { reason: 'nothing is requested', step: { kind: 'none' } },
  { reason: 'copies are requested', request, step: { kind: 'start', request } },
  { reason: 'the guest moves', request, isMoving: true, step: { kind: 'wait' } },
  { reason: 'an agent was killed before the jobs', request, hasTargets: true, step: { kind: 'clear' } },
  {
    reason: 'an agent was killed after the jobs had begun',
    request,
    jobs: [job()],
    step: { kind: 'report', state: { id: 'one', phase: 'Copying', percent: 40 } },
  },
  { reason: 'jobs run', request, state: copying, jobs: [job()], step: { kind: 'report', state: { ...copying, percent: 40 } } },
  {
    reason: 'one of two jobs runs',
    request,
    state: copying,
    jobs: [job({ state: 'complete', copiedBytes: 100 }), job({ name: 'b', copiedBytes: 99 })],
    step: { kind: 'report', state: { ...copying, percent: 90 } },
  },
  {
    reason: 'all have ended',
    request,
    state: copying,
    jobs: [job({ state: 'complete' })],
    step: { kind: 'report', state: { ...copying, phase: 'Complete', percent: 100 } },
  },
  {
    reason: 'one has failed, and the other was cancelled',
    request,
    state: copying,
    jobs: [job({ state: 'failed', error: 'Operation canceled' }), job({ name: 'b', state: 'failed', error: 'No space left on device' })],
    step: {
      kind: 'report',
      state: { ...copying, phase: 'Failed', message: 'The copy of volume "b" has failed: No space left on device' },
    },
  },
  {
    reason: 'the result is stored',
    request,
    state: { ...copying, phase: 'Complete' },
    jobs: [job({ state: 'complete' })],
    step: { kind: 'clear' },
  },
  { reason: 'the result is stored, and nothing is left', request, state: { ...copying, phase: 'Complete' }, step: { kind: 'none' } },
  {
    reason: 'the jobs are gone without a result',
    request,
    state: copying,
    step: {
      kind: 'report',
      state: { ...copying, phase: 'Failed', message: 'QEMU has lost the copies of the disks: take the snapshot again' },
    },
  },
  { reason: 'the request was withdrawn', state: copying, jobs: [job()], step: { kind: 'clear' } },
  { reason: 'targets are left of a withdrawn request', hasTargets: true, step: { kind: 'clear' } },
  { reason: 'only the state is left of a withdrawn request', state: copying, step: { kind: 'forget' } },
  { reason: 'jobs of an earlier request run', request, jobs: [job({ set: 'other' })], step: { kind: 'clear' } },
  {
    reason: 'only the state is left of an earlier request',
    request,
    state: { ...copying, id: 'other', phase: 'Complete' },
    step: { kind: 'start', request },
  },
]

suite('decideCopies()', () => {
  for (const { reason, step, ...observed } of rows) {
    test(`${step.kind}: ${reason}`, () => assert.deepEqual(decideCopies({ ...nothing, ...observed }), step))
  }
})
