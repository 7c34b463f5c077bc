import type { Job, JobStatus } from '#api/batch/v1/job.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { findCondition, isTrue } from '#apimachinery/conditions.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { type Account, accountFor, completedText } from './accounting.ts'
import { announcedEnding, type JobResult, isFinished, withEnding, withSuspension } from './conditions.ts'
import { deadlineInMs, endingOf } from './ending.ts'
import { formatIndexes } from './indexes/indexes.ts'
import type { NewPod } from './job-pod.ts'
import { earliest, noChange, sizeChange } from './size-change.ts'

/** Input of {@link decideJob}. */
export interface JobObservation {
  readonly job: Job
  /** Pods of the Job in every state. */
  readonly pods: readonly Pod[]
  /** The cache shows all earlier writes of this controller. */
  readonly settled: boolean
}

/**
 * Writes that a Job needs. The status is stored first; the others are derived from it again if they
 * fail.
 */
export interface JobDecision {
  readonly status: JobStatus
  readonly release: readonly Pod[]
  /** Pods to delete. */
  readonly remove: readonly Pod[]
  /** Pods to delete that shall not count as failed: they were too many. */
  readonly removeUncounted: readonly Pod[]
  readonly create: readonly NewPod[]
  readonly event: { readonly type: 'Normal' | 'Warning'; readonly reason: string; readonly message: string } | undefined
  /** The Job has ended long enough ago to be deleted. */
  readonly isExpired: boolean
  readonly recheckAfterMs: number | undefined
}

/** Decides the next step of a Job. Pure. `now`: RFC 3339 of `nowMs`. */
export function decideJob({ job, pods, settled }: JobObservation, nowMs: number, now: string): JobDecision {
  if (isFinished(job)) return decideFinished(job, pods, nowMs)
  const suspended = job.spec.suspend === true
  const announced = announcedEnding(job)
  const going = isBeingDeleted(job)
  const account = accountFor(job, pods, announced !== undefined || going)
  const startTime = suspended ? undefined : (job.status?.startTime ?? now)
  const ending = announced ?? endingOf(job, account, pods, startTime, nowMs)
  const old = job.status?.conditions ?? []
  const open = account.active.length + account.terminating + openNotes(account) + account.awaitingReplacement.length
  const isOver = ending !== undefined && open === 0
  const conditions = ending === undefined ? withSuspension(old, suspended, now) : withEnding(old, ending, isOver, now)
  const acts = settled && !going
  const size = acts && ending === undefined && !suspended ? sizeChange(job, account, pods, nowMs) : noChange
  const resumed = !suspended && isTrue(old, 'Suspended')
  return {
    status: {
      ...countsOf(account),
      ...withTime('startTime', resumed ? now : ending === undefined ? startTime : (job.status?.startTime ?? now)),
      ...withTime('completionTime', isOver && ending.kind === 'Complete' ? now : undefined),
      ...(conditions.length === 0 ? {} : { conditions: [...conditions] }),
    },
    release: account.release,
    remove: acts && ending !== undefined ? account.active : [],
    removeUncounted: acts && ending === undefined && suspended ? account.active : size.remove,
    create: size.create,
    event: eventOf(old, ending, isOver, suspended, resumed),
    isExpired: false,
    recheckAfterMs: earliest(size.waitMs, ending === undefined ? deadlineInMs(job, startTime, nowMs) : undefined),
  }
}

/** Releases the remaining pods of a finished Job, and deletes it after ttlSecondsAfterFinished. */
function decideFinished(job: Job, pods: readonly Pod[], nowMs: number): JobDecision {
  const account = accountFor(job, pods, true)
  const { ttlSecondsAfterFinished: ttl } = job.spec
  const end = findCondition(job.status?.conditions, 'Complete') ?? findCondition(job.status?.conditions, 'Failed')
  const leftMs = ttl === undefined ? undefined : Date.parse(end?.lastTransitionTime ?? '') + ttl * 1000 - nowMs
  const isExpired = leftMs !== undefined && leftMs <= 0 && !isBeingDeleted(job)
  const recheckAfterMs = leftMs !== undefined && leftMs > 0 ? leftMs : undefined
  return {
    status: job.status ?? {},
    release: account.release,
    remove: [],
    removeUncounted: [],
    create: [],
    event: undefined,
    isExpired,
    recheckAfterMs,
  }
}

function openNotes({ noted }: Account): number {
  return noted.succeeded.length + noted.failed.length
}

function countsOf(account: Account): JobStatus {
  const { active, ready, terminating, counted, noted } = account
  const completedIndexes = completedText(account)
  return {
    active: active.length,
    ready,
    terminating,
    succeeded: counted.succeeded,
    failed: counted.failed,
    uncountedTerminatedPods: {
      ...(noted.succeeded.length === 0 ? {} : { succeeded: [...noted.succeeded] }),
      ...(noted.failed.length === 0 ? {} : { failed: [...noted.failed] }),
    },
    ...(completedIndexes === undefined ? {} : { completedIndexes }),
    ...(account.failedIndexes === undefined ? {} : { failedIndexes: formatIndexes(account.failedIndexes) }),
  }
}

function eventOf(
  old: NonNullable<JobStatus['conditions']>,
  ending: JobResult | undefined,
  isOver: boolean,
  suspended: boolean,
  resumed: boolean,
): JobDecision['event'] {
  if (isOver && ending !== undefined) {
    return ending.kind === 'Complete'
      ? { type: 'Normal', reason: 'Completed', message: 'Job completed' }
      : { type: 'Warning', reason: ending.reason, message: ending.message }
  }
  if (suspended && !isTrue(old, 'Suspended')) return { type: 'Normal', reason: 'Suspended', message: 'Job suspended' }
  return resumed ? { type: 'Normal', reason: 'Resumed', message: 'Job resumed' } : undefined
}

function withTime(field: 'startTime' | 'completionTime', time: string | undefined): Partial<JobStatus> {
  return time === undefined ? {} : { [field]: time }
}
