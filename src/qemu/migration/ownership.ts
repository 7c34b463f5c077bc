import type { RunState } from '../qmp/commands.ts'
import { hasLetGo } from './decide-outgoing.ts'
import type { MigrationStatus } from './report.ts'

/**
 * Knowledge about one side. `gone`: its process is known to have ended. `silent`: it does not
 * answer, and may be in any state. Both are determined on that machine, never concluded from a
 * broken connection.
 */
export type Answer =
  | { readonly kind: 'gone' | 'silent' }
  | { readonly kind: 'answers'; readonly status: MigrationStatus; readonly runState: RunState }

/** Owner of the guest, and the consequences. */
export type Ownership =
  /** The source runs it, or may resume it; a target that has part of it must end. */
  | { readonly owner: 'source'; readonly resume: boolean; readonly endTarget: boolean }
  /** The target runs it, or may: the source has let go of it for good. */
  | { readonly owner: 'target'; readonly resume: boolean }
  /** Between the two, or unknown: only another query is allowed. */
  | { readonly owner: 'nobody yet'; readonly reason: string }
  /** Neither side has a whole guest. */
  | { readonly owner: 'lost'; readonly reason: string }

/**
 * Returns the owner of the guest, from the answers of both sides. At most one side is ever told to
 * run it: a target starts with stopped CPUs and without the disks, so it can only run after this
 * has returned `target`. `granted`: whether that was recorded before; a guest that ran on the
 * target must not be resumed on the source.
 */
export function ownership(source: Answer, target: Answer, granted: boolean): Ownership {
  return decideOwner(withoutPast(source), target, granted)
}

/**
 * A source may report "completed" for the migration by which the guest arrived, or for one that was
 * revoked.
 */
function withoutPast(source: Answer): Answer {
  const isPast = source.kind === 'answers' && source.status === 'completed' && !hasLetGo(source.status, source.runState)
  return isPast ? { ...source, status: 'none' } : source
}

function decideOwner(source: Answer, target: Answer, granted: boolean): Ownership {
  if (target.kind === 'answers' && target.runState === 'running') return targetRuns(source, granted)
  switch (source.kind) {
    case 'silent':
      return granted ? ofTarget(target) : { owner: 'nobody yet', reason: 'the source cannot be asked' }
    case 'gone':
      return withoutSource(target, granted)
    case 'answers':
      return bySource(source, target, granted)
  }
}

function targetRuns(source: Answer, granted: boolean): Ownership {
  if (source.kind === 'answers' && source.runState === 'running') {
    return { owner: 'nobody yet', reason: 'both sides say that they run the guest' }
  }
  const isHanded = granted || source.kind === 'gone' || (source.kind === 'answers' && letGo.has(source.status))
  return isHanded ? { owner: 'target', resume: false } : { owner: 'nobody yet', reason: 'the target runs without having been told to' }
}

/** States in which the source has given the guest away. */
const letGo: ReadonlySet<MigrationStatus> = new Set<MigrationStatus>([
  'completed',
  'postcopy-active',
  'postcopy-paused',
  'postcopy-recover-setup',
  'postcopy-recover',
])

function bySource(source: Extract<Answer, { kind: 'answers' }>, target: Answer, granted: boolean): Ownership {
  // It has resumed the guest.
  if (source.runState === 'running' && letGo.has(source.status))
    return { owner: 'source', resume: false, endTarget: target.kind !== 'gone' }
  switch (source.status) {
    case 'completed':
      return completed(target, granted)
    case 'postcopy-active':
    case 'postcopy-paused':
    case 'postcopy-recover-setup':
    case 'postcopy-recover':
      // Each side has a part of the memory from here on.
      return target.kind === 'gone' ? { owner: 'lost', reason: 'the target ended with a part of the memory' } : ofTarget(target)
    case 'pre-switchover':
    case 'device':
    case 'cancelling':
      return { owner: 'nobody yet', reason: `the source is in state ${source.status}` }
    case 'none':
    case 'setup':
    case 'active':
      // Whatever such a target has, it is not this guest as it is now.
      return { owner: 'source', resume: false, endTarget: target.kind === 'answers' && hasArrived(target) }
    case 'failed':
    case 'cancelled':
      return { owner: 'source', resume: source.runState !== 'running', endTarget: target.kind !== 'gone' }
  }
}

/** The target has confirmed to the source that it has everything. */
function completed(target: Answer, granted: boolean): Ownership {
  if (target.kind !== 'gone') return ofTarget(target)
  if (granted) return { owner: 'lost', reason: 'the target ended after it had been given the guest' }
  return { owner: 'source', resume: true, endTarget: false }
}

function ofTarget(target: Answer): Ownership {
  switch (target.kind) {
    case 'gone':
      return { owner: 'lost', reason: 'the target ended after it had been given the guest' }
    case 'silent':
      return { owner: 'nobody yet', reason: 'the source has let go of the guest, and the target cannot be asked' }
    case 'answers':
      return hasArrived(target)
        ? { owner: 'target', resume: true }
        : { owner: 'nobody yet', reason: `the source has let go of the guest, and the target is in state ${target.status}` }
  }
}

function hasArrived({ status }: Extract<Answer, { kind: 'answers' }>): boolean {
  return status === 'completed' || status === 'postcopy-active' || status === 'postcopy-paused'
}

function withoutSource(target: Answer, granted: boolean): Ownership {
  if (target.kind === 'answers' && target.status === 'completed') return { owner: 'target', resume: true }
  if (target.kind === 'silent') return { owner: 'nobody yet', reason: 'the source has ended, and the target cannot be asked' }
  const reason = granted ? 'the target ended after it had been given the guest' : 'the source ended before the target had all of the guest'
  return { owner: 'lost', reason }
}
