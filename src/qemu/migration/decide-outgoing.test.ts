import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { decideOutgoing, type OutgoingObserved, type OutgoingWish } from './decide-outgoing.ts'
import type { DiskCopy } from './disk-copies.ts'
import type { Note } from './note.ts'
import type { MigrationStatus } from './report.ts'
import { lowWater } from './timeouts.ts'

const gib = 2 ** 30
const wish: OutgoingWish = {
  disks: [],
  limits: { progressTimeoutMs: 150_000, completionTimeoutMsPerGib: 150_000, allowPostCopy: false, allowWorkloadDisruption: false },
  runs: true,
  cancel: false,
  startedMs: 0,
}
const started: Note = { phase: 'started' }
const disk = { node: 'd', sync: 'full' } as const
const copy = (state: DiskCopy['state'], error?: string): DiskCopy => ({
  node: 'd',
  state,
  totalBytes: gib,
  remainingBytes: 0,
  ...(error === undefined ? {} : { error }),
})
const progress = { totalBytes: 2 * gib, remainingBytes: gib, transferredBytes: gib, dirtyRate: 0, bandwidth: 0, rounds: 1 }

interface Case {
  readonly status?: MigrationStatus
  readonly runState?: string
  readonly copies?: readonly DiskCopy[]
  readonly note?: Note
  readonly wish?: Partial<OutgoingWish>
  readonly limits?: Partial<OutgoingWish['limits']>
  readonly nowMs?: number
  readonly stuckMs?: number
  /** Since the stream of memory was started. */
  readonly memoryMs?: number
}

function decide({
  status = 'none',
  runState = 'running',
  copies = [],
  note,
  nowMs = 1_000,
  stuckMs = 0,
  memoryMs,
  ...change
}: Case): string {
  const observed: OutgoingObserved = {
    report: { status, progress, blockers: [], ...(memoryMs === undefined ? {} : { totalMs: memoryMs }) },
    runState,
    copies,
    note,
  }
  const low = { status, remainingBytes: gib, sinceMs: nowMs - stuckMs }
  const step = decideOutgoing(observed, { ...wish, ...change.wish, limits: { ...wish.limits, ...change.limits } }, low, nowMs)
  return 'outcome' in step ? `${step.kind} ${step.outcome}` : step.kind
}

const begun: Note = { phase: 'begun' }
const failed: Note = { phase: 'failed', reason: 'why' }
/** Two GiB of memory, at 150 s each. */
const late = { note: started, status: 'active', nowMs: 300_001 } as const

const rows: readonly (readonly [string, string, Case])[] = [
  ['begins', 'begin', {}],
  ['removes leftovers of another attempt', 'clear', { copies: [copy('ready')] }],
  ['cancels a running migration of another attempt', 'cancel', { status: 'active' }],
  ['copies disks before memory', 'copyDisk', { note: begun, wish: { disks: [disk] } }],
  ['waits for the copies', 'wait', { note: begun, wish: { disks: [disk] }, copies: [copy('copying')] }],
  ['starts when the disks are the same', 'start', { note: begun, wish: { disks: [disk] }, copies: [copy('ready')] }],
  ['fails when the copy of a disk fails', 'giveUp failed', { note: begun, wish: { disks: [disk] }, copies: [copy('ended', 'no')] }],
  ['notes a start that was cut off before its note', 'noteStart', { note: begun, status: 'active' }],
  ['starts after the failure of an earlier attempt', 'start', { note: begun, status: 'failed' }],
  ['fails after its own failure', 'giveUp failed', { note: started, status: 'failed' }],
  ['waits while memory flows', 'wait', { note: started, status: 'active' }],
  ['ends the copies of disks first', 'finishCopy', { note: started, status: 'pre-switchover', copies: [copy('ready')] }],
  ['then switches over', 'switchOver', { note: started, status: 'pre-switchover', copies: [copy('ended')] }],
  ['does not switch over without a disk', 'giveUp failed', { note: started, status: 'pre-switchover', copies: [copy('ended', 'no')] }],
  ['is through', 'end completed', { note: started, status: 'completed', runState: 'postmigrate' }],
  ['does not take the migration by which the guest came for its own', 'begin', { status: 'completed' }],
  ['nor after it has begun', 'start', { note: begun, status: 'completed' }],
  ['nor when the guest stands still', 'start', { note: begun, status: 'completed', runState: 'paused', wish: { runs: false } }],
  ['detects that the guest was resumed on the source', 'giveUp failed', { note: started, status: 'completed' }],
  ['cancels on request', 'giveUp cancelled', { note: started, status: 'active', wish: { cancel: true } }],
  ['fails when the target refuses', 'giveUp failed', { note: started, status: 'active', wish: { refused: 'it has ended' } }],
  [
    'does not cancel a migration that has ended',
    'giveUp failed',
    { note: started, status: 'active', wish: { refused: 'it has ended', cancel: true } },
  ],
  [
    'knows that the target has ended by being called off',
    'end cancelled',
    { note: { phase: 'cancelled', reason: 'why' }, status: 'cancelled', wish: { refused: 'it has ended', cancel: true } },
  ],
  ['is too late for a request', 'wait', { note: started, status: 'device', wish: { cancel: true } }],
  [
    'is much too late for a request',
    'end completed',
    { note: started, status: 'completed', runState: 'postmigrate', wish: { cancel: true } },
  ],
  ['cancels what was given up', 'cancel', { note: failed, status: 'active' }],
  ['waits until that is done', 'wait', { note: failed, status: 'cancelling' }],
  ['clears up then', 'clear', { note: failed, status: 'cancelled', copies: [copy('ready')] }],
  ['resumes the guest then', 'resumeGuest', { note: failed, status: 'cancelled', runState: 'paused' }],
  [
    'does not resume a guest that was paused',
    'end failed',
    { note: failed, status: 'cancelled', runState: 'paused', wish: { runs: false } },
  ],
  ['reports the outcome at the end', 'end failed', { note: failed, status: 'cancelled' }],
  ['cancels without progress', 'giveUp failed', { note: started, status: 'active', stuckMs: 150_001 }],
  ['cancels after the completion timeout', 'giveUp failed', late],
  ['switches to post-copy after its time', 'postCopy', { ...late, limits: { allowPostCopy: true, allowWorkloadDisruption: true } }],
  [
    'does not count the time of the disks for that',
    'wait',
    { ...late, nowMs: 5_000_000, memoryMs: 300_000, limits: { allowPostCopy: true } },
  ],
  [
    'nor the room that they take',
    'postCopy',
    { ...late, nowMs: 310_000, memoryMs: 300_001, copies: [copy('ready'), copy('ready')], limits: { allowPostCopy: true } },
  ],
  ['stops the guest after its time', 'pauseGuest', { ...late, limits: { allowWorkloadDisruption: true } }],
  ['gives a paused guest the same time again', 'wait', { ...late, runState: 'paused', limits: { allowWorkloadDisruption: true } }],
  ['and no more', 'giveUp failed', { ...late, nowMs: 600_001, runState: 'paused', limits: { allowWorkloadDisruption: true } }],
  ['counts disks in the timeout', 'wait', { note: begun, wish: { disks: [disk] }, copies: [copy('copying')], nowMs: 449_000 }],
  ['limits the timeout of disks', 'giveUp failed', { note: begun, wish: { disks: [disk] }, copies: [copy('copying')], nowMs: 451_000 }],
]

suite('decideOutgoing()', () => {
  for (const [name, expected, situation] of rows) test(name, () => assert.equal(decide(situation), expected))
})

test('lowWater() measures from the last minimum of the remaining bytes, separately for each phase', () => {
  const first = lowWater(undefined, { status: 'none', remainingBytes: 5 }, 0)
  assert.equal(lowWater(first, { status: 'none', remainingBytes: 5 }, 10).sinceMs, 0)
  assert.equal(lowWater(first, { status: 'none', remainingBytes: 4 }, 10).sinceMs, 10)
  assert.equal(lowWater(first, { status: 'active', remainingBytes: 900 }, 10).sinceMs, 10)
})
