import type { RunState } from '../qmp/commands.ts'
import type { CopiedDisk, DiskCopy } from './disk-copies.ts'
import type { Note } from './note.ts'
import type { MigrationReport } from './report.ts'
import { judge, type LowWater, type MigrationLimits } from './timeouts.ts'

/** Request to the source. */
export interface OutgoingWish {
  readonly disks: readonly CopiedDisk[]
  readonly limits: MigrationLimits
  /** True if the guest ran when the migration was requested; then it is resumed if it stays. */
  readonly runs: boolean
  /** Cancellation was requested. */
  readonly cancel: boolean
  /**
   * Reason why the target will never run the guest. Takes precedence over `cancel`: a migration
   * that has ended cannot be cancelled.
   */
  readonly refused?: string
  /** Start time, by the same clock as `nowMs`. */
  readonly startedMs: number
}

/** State reported by the source's QEMU. */
export interface OutgoingObserved {
  readonly report: MigrationReport
  readonly runState: RunState
  readonly copies: readonly DiskCopy[]
  /** Note about this attempt. */
  readonly note: Note | undefined
}

/** The next action. */
export type OutgoingStep =
  | { readonly kind: 'begin' | 'start' | 'noteStart' | 'switchOver' | 'wait' | 'cancel' | 'clear' | 'resumeGuest' }
  | { readonly kind: 'copyDisk'; readonly disk: CopiedDisk }
  | { readonly kind: 'finishCopy'; readonly node: string }
  | { readonly kind: 'postCopy' | 'pauseGuest'; readonly reason: string }
  | { readonly kind: 'giveUp'; readonly outcome: 'failed' | 'cancelled'; readonly reason: string }
  | { readonly kind: 'end'; readonly outcome: 'completed' | 'failed' | 'cancelled'; readonly reason: string }

/** Decides the next action of the source. Pure: derived from the state of QEMU alone. */
export function decideOutgoing(observed: OutgoingObserved, wish: OutgoingWish, low: LowWater, nowMs: number): OutgoingStep {
  const { report, note, runState } = observed
  if (hasLetGo(report.status, runState)) return { kind: 'end', outcome: 'completed', reason: '' }
  if (note === undefined) return begin(observed)
  if (note.phase === 'failed' || note.phase === 'cancelled') return windUp(observed, wish, note)
  const isNoted = note.phase === 'started'
  switch (report.status) {
    case 'setup':
    case 'active':
      return isNoted ? underWay(observed, wish, low, nowMs) : { kind: 'noteStart' }
    case 'pre-switchover':
      return isNoted ? switchOver(observed, wish) : { kind: 'noteStart' }
    case 'cancelled':
    case 'failed':
      // Without a note it is an earlier attempt, or this one was interrupted before its note: it
      // may be started again.
      return isNoted ? giveUp(report.status, report.error ?? `Live migration was ${report.status}`) : before(observed, wish, low, nowMs)
    case 'completed':
      // The guest was resumed here after its release; or it is the migration by which it arrived.
      return isNoted ? giveUp('failed', 'The guest was taken back') : before(observed, wish, low, nowMs)
    case 'none':
      return before(observed, wish, low, nowMs)
    case 'device':
    case 'postcopy-active':
    case 'postcopy-paused':
    case 'postcopy-recover-setup':
    case 'postcopy-recover':
    case 'cancelling':
      return { kind: 'wait' }
  }
}

/**
 * Reports whether a source has released its guest. The status alone is ambiguous: for a guest that
 * arrived by a migration, QEMU keeps reporting "completed".
 */
export function hasLetGo(status: MigrationReport['status'], runState: RunState): boolean {
  return status === 'completed' && runState === 'postmigrate'
}

/** First removes the remains of an earlier attempt, whose driver is gone for good. */
function begin({ report, copies }: OutgoingObserved): OutgoingStep {
  if (isRevocable(report)) return { kind: 'cancel' }
  if (isUnderWay(report)) return { kind: 'wait' }
  return { kind: copies.length > 0 ? 'clear' : 'begin' }
}

/** Removes everything of the attempt, and the guest keeps running here. */
function windUp({ report, copies, runState }: OutgoingObserved, wish: OutgoingWish, note: Extract<Note, { reason: string }>): OutgoingStep {
  if (isRevocable(report)) return { kind: 'cancel' }
  if (isUnderWay(report)) return { kind: 'wait' }
  if (copies.length > 0) return { kind: 'clear' }
  if (wish.runs && stopped.has(runState)) return { kind: 'resumeGuest' }
  return { kind: 'end', outcome: note.phase, reason: note.reason }
}

/** States of a guest after a failed migration from which it can be resumed. */
const stopped: ReadonlySet<string> = new Set(['paused', 'postmigrate', 'finish-migrate'])

function isRevocable({ status }: MigrationReport): boolean {
  return status === 'setup' || status === 'active' || status === 'pre-switchover'
}

function isUnderWay({ status }: MigrationReport): boolean {
  return status === 'device' || status === 'cancelling' || status.startsWith('postcopy')
}

/** Disks first: memory changes faster. */
function before(observed: OutgoingObserved, wish: OutgoingWish, low: LowWater, nowMs: number): OutgoingStep {
  const { copies } = observed
  const objection = objectionTo(observed, wish)
  if (objection !== undefined) return objection
  const missing = wish.disks.find(({ node }) => !copies.some((copy) => copy.node === node))
  if (missing !== undefined) return { kind: 'copyDisk', disk: missing }
  if (copies.every(({ state }) => state === 'ready')) return { kind: 'start' }
  const verdict = judge(flightOf(observed, wish, nowMs), wish.limits, low, nowMs)
  return verdict.kind === 'abort' ? giveUp('failed', verdict.reason) : { kind: 'wait' }
}

function underWay(observed: OutgoingObserved, wish: OutgoingWish, low: LowWater, nowMs: number): OutgoingStep {
  const objection = objectionTo(observed, wish)
  if (objection !== undefined) return objection
  const verdict = judge(flightOf(observed, wish, nowMs), wish.limits, low, nowMs)
  return verdict.kind === 'abort' ? giveUp('failed', verdict.reason) : verdict
}

/** The guest is paused here: its disk copies end before the target can write. */
function switchOver(observed: OutgoingObserved, wish: OutgoingWish): OutgoingStep {
  const { copies } = observed
  const objection = objectionTo(observed, wish)
  if (objection !== undefined) return objection
  const ready = copies.find(({ state }) => state === 'ready')
  if (ready !== undefined) return { kind: 'finishCopy', node: ready.node }
  return { kind: copies.every(({ state }) => state === 'ended') ? 'switchOver' : 'wait' }
}

function objectionTo({ copies }: OutgoingObserved, wish: OutgoingWish): OutgoingStep | undefined {
  if (wish.refused !== undefined) return giveUp('failed', wish.refused)
  if (wish.cancel) return giveUp('cancelled', 'Live migration has been cancelled')
  const broken = copies.find(({ error }) => error !== undefined)
  return broken === undefined ? undefined : giveUp('failed', `The copy of disk ${broken.node} failed: ${broken.error ?? ''}`)
}

function giveUp(outcome: 'failed' | 'cancelled', reason: string): OutgoingStep {
  return { kind: 'giveUp', outcome, reason }
}

function flightOf(observed: OutgoingObserved, wish: OutgoingWish, nowMs: number): Parameters<typeof judge>[0] {
  const { report, copies, runState } = observed
  return {
    report,
    memoryBytes: report.progress?.totalBytes ?? 0,
    totalBytes: (report.progress?.totalBytes ?? 0) + sum(copies.map((copy) => copy.totalBytes)),
    elapsedMs: nowMs - wish.startedMs,
    guestRuns: runState === 'running',
  }
}

/** Remaining bytes of memory and disks. */
export function remainingBytes({ report, copies }: Pick<OutgoingObserved, 'report' | 'copies'>): number {
  return (report.progress?.remainingBytes ?? 0) + sum(copies.map((copy) => copy.remainingBytes))
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
