import type { Job, JobStatus } from '#api/batch/v1/job.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { findCondition, isTrue } from '#apimachinery/conditions.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { restartsOf } from '../pods/pod-state.ts'
import { choosePodsToDelete } from '../pods/deletion-order.ts'
import { type Account, accountFor, completedText, failedIn, succeededIn } from './accounting.ts'
import { retryInMs } from './backoff.ts'
import { announcedEnding, type JobResult, isFinished, withEnding, withSuspension } from './conditions.ts'
import { indexOf } from './indexes.ts'

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
  /** Pods to make, by index; undefined for a pod without. */
  readonly create: readonly (number | undefined)[]
  readonly event: { readonly type: 'Normal' | 'Warning'; readonly reason: string; readonly message: string } | undefined
  /** The Job has ended long enough ago to be deleted. */
  readonly isExpired: boolean
  readonly recheckAfterMs: number | undefined
}

/** Pods created in one go at most. */
const burst = 500

/** Decides the next step of a Job. Pure. `now`: RFC 3339 of `nowMs`. */
export function decideJob({ job, pods, settled }: JobObservation, nowMs: number, now: string): JobDecision {
  if (isFinished(job)) return decideFinished(job, pods, nowMs)
  const suspended = job.spec.suspend === true
  const announced = announcedEnding(job)
  const going = isBeingDeleted(job)
  const account = accountFor(job, pods, announced !== undefined || going)
  const startTime = suspended ? undefined : (job.status?.startTime ?? now)
  const ending = announced ?? endingOf(job, account, startTime, nowMs)
  const old = job.status?.conditions ?? []
  const isOver = ending !== undefined && account.active.length + account.terminating + openNotes(account) === 0
  const conditions = ending === undefined ? withSuspension(old, suspended, now) : withEnding(old, ending, isOver, now)
  const acts = settled && !going
  const size = acts && ending === undefined && !suspended ? sizeChange(job, account) : nothing
  const waitMs = size.create.length > 0 ? retryInMs(pods, nowMs) : 0
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
    create: waitMs > 0 ? [] : size.create,
    event: eventOf(old, ending, isOver, suspended, resumed),
    isExpired: false,
    recheckAfterMs: earliest(waitMs > 0 ? waitMs : undefined, ending === undefined ? deadlineInMs(job, startTime, nowMs) : undefined),
  }
}

interface SizeChange {
  readonly create: readonly (number | undefined)[]
  readonly remove: readonly Pod[]
}

const nothing: SizeChange = { create: [], remove: [] }

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

function endingOf(job: Job, account: Account, startTime: string | undefined, nowMs: number): JobResult | undefined {
  const { completions, backoffLimit = 6 } = job.spec
  if (failedIn(account) > backoffLimit || restartsTooOften(job, account)) {
    return { kind: 'Failed', reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' }
  }
  if (deadlineInMs(job, startTime, nowMs) === 0) {
    return { kind: 'Failed', reason: 'DeadlineExceeded', message: 'Job was active longer than specified deadline' }
  }
  const succeeded = succeededIn(account)
  const enough = completions === undefined ? succeeded > 0 && account.active.length === 0 : succeeded >= completions
  if (!enough) return undefined
  return { kind: 'Complete', reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' }
}

/** Pods that restart their containers themselves fail without ever ending. */
function restartsTooOften({ spec }: Job, { active }: Account): boolean {
  if (spec.template.spec.restartPolicy !== 'OnFailure') return false
  const restarts = active.reduce((sum, pod) => sum + restartsOf(pod), 0)
  const { backoffLimit = 6 } = spec
  return backoffLimit === 0 ? restarts > 0 : restarts >= backoffLimit
}

/** Milliseconds that the Job may go on; 0 when its time is up, undefined when it has no limit. */
function deadlineInMs({ spec }: Job, startTime: string | undefined, nowMs: number): number | undefined {
  if (spec.activeDeadlineSeconds === undefined || startTime === undefined) return undefined
  return Math.max(0, Date.parse(startTime) + spec.activeDeadlineSeconds * 1000 - nowMs)
}

function sizeChange(job: Job, account: Account): SizeChange {
  const { parallelism = 1, completions, podReplacementPolicy } = job.spec
  const { active, completed } = account
  const succeeded = succeededIn(account)
  const wanted =
    completions === undefined
      ? succeeded > 0
        ? Math.min(active.length, parallelism)
        : parallelism
      : Math.max(0, Math.min(parallelism, completions - succeeded))
  const doubles = completed === undefined ? [] : doublesOf(active)
  const living = active.filter((pod) => !doubles.includes(pod))
  const remove = [...doubles, ...choosePodsToDelete(living, Math.max(0, living.length - wanted), new Map())]
  const waiting = podReplacementPolicy === 'Failed' ? account.terminating : 0
  const missing = Math.max(0, Math.min(burst, wanted - living.length - waiting))
  if (completed === undefined) return { create: Array.from({ length: missing }, () => undefined), remove }
  const taken = new Set([...completed, ...living.flatMap((pod) => indexOf(pod) ?? [])])
  const free = Array.from({ length: completions ?? 0 }, (_, index) => index).filter((index) => !taken.has(index))
  return { create: free.slice(0, missing), remove }
}

/** Pods whose index another one has already. */
function doublesOf(active: readonly Pod[]): readonly Pod[] {
  const seen = new Set<number>()
  return active.filter((pod) => {
    const index = indexOf(pod)
    if (index === undefined || seen.has(index)) return true
    seen.add(index)
    return false
  })
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

function earliest(...waits: readonly (number | undefined)[]): number | undefined {
  const known = waits.filter((wait) => wait !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}
