import type { Job } from '#api/batch/v1/job.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { isActive, isTerminating, isOver, isReady } from '../pods/pod-state.ts'
import { judgeFailure } from './policies/failure-policy.ts'
import { exhaustsIndex, isReplaced } from './indexes/index-failures.ts'
import { formatIndexes, indexOf, parseIndexes } from './indexes/indexes.ts'
import { trackingFinalizer } from './names.ts'

/**
 * Pods of a Job in numbers. Each finished pod is counted exactly once, across crashes:
 *
 *     finished, with finalizer              -> its uid is recorded in the status
 *     recorded, with finalizer              -> the finalizer is removed
 *     recorded, without finalizer or absent -> its uid becomes a number
 */
export interface Account {
  readonly active: readonly Pod[]
  readonly ready: number
  readonly terminating: number
  /** As numbers in the status. */
  readonly counted: { readonly succeeded: number; readonly failed: number }
  /** Uids in the status. */
  readonly noted: { readonly succeeded: readonly string[]; readonly failed: readonly string[] }
  /** Indexes that have succeeded; undefined for a Job without indexes. */
  readonly completed: ReadonlySet<number> | undefined
  /** Indexes that have failed; undefined for a Job without backoffLimitPerIndex. */
  readonly failedIndexes: ReadonlySet<number> | undefined
  /**
   * Failed pods that are counted when others have their indexes: until then they are the only
   * record of how often these have failed.
   */
  readonly awaitingReplacement: readonly Pod[]
  /** Pods to take the finalizer from once the rest of this is stored. */
  readonly release: readonly Pod[]
}

/** Uids noted in one go at most, for the size of the status. */
const noteLimit = 500

/**
 * Counts the pods. `ending`: pods that are on their way out will not be replaced, so that they
 * count at once. Pure.
 */
export function accountFor(job: Job, pods: readonly Pod[], ending: boolean): Account {
  const { status, spec } = job
  const held = new Map(pods.filter(isHeld).map((pod) => [pod.metadata.uid ?? '', pod]))
  const { succeeded = [], failed = [] } = status?.uncountedTerminatedPods ?? {}
  const isStillHeld = (uid: string): boolean => held.has(uid)
  const noted = { succeeded: succeeded.filter(isStillHeld), failed: failed.filter(isStillHeld) }
  const completed = spec.completionMode === 'Indexed' ? new Set(parseIndexes(status?.completedIndexes)) : undefined
  const failedIndexes = spec.backoffLimitPerIndex === undefined ? undefined : new Set(parseIndexes(status?.failedIndexes))
  const awaitingReplacement: Pod[] = []
  const release: Pod[] = []
  for (const [uid, pod] of held) {
    const isNoted = noted.succeeded.includes(uid) || noted.failed.includes(uid)
    if (!isNoted && noted.succeeded.length + noted.failed.length >= noteLimit) continue
    const end = isNoted ? 'noted' : endOf(job, pod, ending)
    if (end === undefined) continue
    if (end === 'failed' && failedIndexes !== undefined) {
      const index = indexOf(pod) ?? -1
      if (exhaustsIndex(job, pod)) note(failedIndexes, index, spec.completions ?? 0)
      else if (!ending && !failedIndexes.has(index) && completed?.has(index) !== true && !isReplaced(pod, pods)) {
        awaitingReplacement.push(pod)
        continue
      }
    }
    if (end === 'succeeded' && completed !== undefined) note(completed, indexOf(pod), spec.completions ?? 0)
    else if (end !== 'noted' && !(end === 'failed' && isIgnored(job, pod))) noted[end].push(uid)
    release.push(pod)
  }
  return {
    active: pods.filter(isActive),
    ready: pods.filter((pod) => isActive(pod) && isReady(pod)).length,
    terminating: pods.filter((pod) => isTerminating(pod) && !isOver(pod)).length,
    counted: {
      succeeded: completed === undefined ? (status?.succeeded ?? 0) + succeeded.length - kept(succeeded, isStillHeld) : completed.size,
      failed: (status?.failed ?? 0) + failed.length - kept(failed, isStillHeld),
    },
    noted,
    completed,
    failedIndexes,
    awaitingReplacement,
    release,
  }
}

/** Pods that have succeeded, counted or not. */
export function succeededIn({ counted, noted }: Account): number {
  return counted.succeeded + noted.succeeded.length
}

/** Pods that have failed, counted or not. */
export function failedIn({ counted, noted }: Account): number {
  return counted.failed + noted.failed.length
}

/** The indexes as the status has them. */
export function completedText({ completed }: Account): string | undefined {
  return completed === undefined || completed.size === 0 ? undefined : formatIndexes(completed)
}

/** Reports whether a pod waits to be counted. */
export function isHeld({ metadata }: Pod): boolean {
  return metadata.finalizers?.includes(trackingFinalizer) === true
}

function endOf({ spec }: Job, pod: Pod, ending: boolean): 'succeeded' | 'failed' | undefined {
  const phase = pod.status?.phase
  if (phase === 'Succeeded') return 'succeeded'
  if (phase === 'Failed') return 'failed'
  if (!isTerminating(pod)) return undefined
  // A pod without node has no kubelet that would finish it.
  const countsAtOnce = ending || spec.podReplacementPolicy !== 'Failed' || (pod.spec.nodeName ?? '') === ''
  return countsAtOnce ? 'failed' : undefined
}

function kept(uids: readonly string[], isStillHeld: (uid: string) => boolean): number {
  return uids.filter(isStillHeld).length
}

function isIgnored({ spec }: Job, failed: Pod): boolean {
  return judgeFailure(spec.podFailurePolicy, failed).action === 'Ignore'
}

function note(indexes: Set<number>, index: number | undefined, completions: number): void {
  if (index !== undefined && index >= 0 && index < completions) indexes.add(index)
}
