import type { RunState } from '../qmp/commands.ts'
import type { CopiedDisk, DiskCopy } from './disk-copies.ts'
import type { MigrationReport } from './report.ts'
import { judge, type LowWater, type MigrationLimits } from './timeouts.ts'

/** What is wanted of the source. */
export interface OutgoingWish {
  readonly disks: readonly CopiedDisk[]
  readonly limits: MigrationLimits
  /** Whether the guest ran when it was decided to move it, and is to run again should it stay. */
  readonly runs: boolean
  /** Somebody has changed their mind. */
  readonly cancel: boolean
  /** When it was started, by the same clock as `nowMs`. */
  readonly startedMs: number
}

/** What the source's QEMU says. */
export interface OutgoingObserved {
  readonly report: MigrationReport
  readonly runState: RunState
  readonly copies: readonly DiskCopy[]
  /** Whether QEMU was marked as having started this very migration. */
  readonly marked: boolean
}

/** What to do next. */
export type OutgoingStep =
  | { readonly kind: 'copyDisk'; readonly disk: CopiedDisk }
  | { readonly kind: 'finishCopy'; readonly node: string }
  | { readonly kind: 'start' | 'mark' | 'switchOver' | 'wait' | 'resumeGuest' }
  | { readonly kind: 'postCopy' | 'pauseGuest' | 'cancel' | 'clear'; readonly reason: string }
  | { readonly kind: 'end'; readonly outcome: 'completed' | 'failed' | 'cancelled'; readonly reason: string }

/** The next step of the source. Pure: everything is in what QEMU says. */
export function decideOutgoing(observed: OutgoingObserved, wish: OutgoingWish, low: LowWater, nowMs: number): OutgoingStep {
  const { report, marked } = observed
  switch (report.status) {
    case 'completed':
      return { kind: 'end', outcome: 'completed', reason: '' }
    case 'setup':
    case 'active':
      return marked ? underWay(observed, wish, low, nowMs) : { kind: 'mark' }
    case 'pre-switchover':
      return switchOver(observed, wish)
    case 'cancelled':
    case 'failed':
      // What is not marked is an earlier attempt, or this one cut off before its mark: it may as well be started again.
      return marked ? afterwards(observed, wish, report.status) : before(observed, wish, low, nowMs)
    case 'none':
      return before(observed, wish, low, nowMs)
    case 'device':
    case 'postcopy-active':
    case 'postcopy-paused':
    case 'postcopy-recover':
    case 'cancelling':
      return { kind: 'wait' }
  }
}

/** Disks first: memory changes faster. */
function before(observed: OutgoingObserved, wish: OutgoingWish, low: LowWater, nowMs: number): OutgoingStep {
  const { copies } = observed
  if (wish.cancel) return stop(observed, wish, 'Live migration has been cancelled', 'cancelled')
  const broken = brokenCopy(copies)
  if (broken !== undefined) return stop(observed, wish, broken, 'failed')
  const missing = wish.disks.find(({ node }) => !copies.some((copy) => copy.node === node))
  if (missing !== undefined) return { kind: 'copyDisk', disk: missing }
  if (copies.every(({ state }) => state === 'ready')) return { kind: 'start' }
  const verdict = judge(flightOf(observed, wish, nowMs), wish.limits, low, nowMs)
  return verdict.kind === 'abort' ? stop(observed, wish, verdict.reason, 'failed') : { kind: 'wait' }
}

function underWay(observed: OutgoingObserved, wish: OutgoingWish, low: LowWater, nowMs: number): OutgoingStep {
  if (wish.cancel) return { kind: 'cancel', reason: 'Live migration has been cancelled' }
  const broken = brokenCopy(observed.copies)
  if (broken !== undefined) return { kind: 'cancel', reason: broken }
  const verdict = judge(flightOf(observed, wish, nowMs), wish.limits, low, nowMs)
  return verdict.kind === 'abort' ? { kind: 'cancel', reason: verdict.reason } : verdict
}

/** The guest stands still here: the copies of its disks end before the target can write. */
function switchOver({ copies, marked }: OutgoingObserved, wish: OutgoingWish): OutgoingStep {
  if (!marked) return { kind: 'mark' }
  if (wish.cancel) return { kind: 'cancel', reason: 'Live migration has been cancelled' }
  const broken = brokenCopy(copies)
  if (broken !== undefined) return { kind: 'cancel', reason: broken }
  const ready = copies.find(({ state }) => state === 'ready')
  if (ready !== undefined) return { kind: 'finishCopy', node: ready.node }
  return copies.every(({ state }) => state === 'ended') ? { kind: 'switchOver' } : { kind: 'wait' }
}

function afterwards(observed: OutgoingObserved, wish: OutgoingWish, outcome: 'failed' | 'cancelled'): OutgoingStep {
  const { report } = observed
  return stop(
    observed,
    wish,
    report.error ?? (outcome === 'failed' ? 'Live migration failed' : 'Live migration has been cancelled'),
    outcome,
  )
}

/** Nothing of it stays, and the guest goes on here. */
function stop(observed: OutgoingObserved, wish: OutgoingWish, reason: string, outcome: 'failed' | 'cancelled'): OutgoingStep {
  if (observed.copies.length > 0) return { kind: 'clear', reason }
  if (wish.runs && stopped.has(observed.runState)) return { kind: 'resumeGuest' }
  return { kind: 'end', outcome, reason }
}

/** States in which a guest is after a migration that came to nothing, and that it can be taken out of. */
const stopped: ReadonlySet<string> = new Set(['paused', 'postmigrate', 'finish-migrate'])

function brokenCopy(copies: readonly DiskCopy[]): string | undefined {
  const broken = copies.find(({ error }) => error !== undefined)
  return broken === undefined ? undefined : `The copy of disk ${broken.node} failed: ${broken.error ?? ''}`
}

function flightOf(observed: OutgoingObserved, wish: OutgoingWish, nowMs: number): Parameters<typeof judge>[0] {
  const { report, copies, runState } = observed
  return {
    report,
    totalBytes: (report.progress?.totalBytes ?? 0) + sum(copies.map((copy) => copy.totalBytes)),
    elapsedMs: nowMs - wish.startedMs,
    guestRuns: runState === 'running',
  }
}

/** What is left of memory and disks. */
export function remainingBytes({ report, copies }: Pick<OutgoingObserved, 'report' | 'copies'>): number {
  return (report.progress?.remainingBytes ?? 0) + sum(copies.map((copy) => copy.remainingBytes))
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
