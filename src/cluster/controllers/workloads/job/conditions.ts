import type { Job, JobCondition } from '#api/batch/v1/job.ts'
import { findCondition, isTrue } from '#apimachinery/conditions.ts'

/** How a Job ends: first announced, and said for good when no pod is left. */
export interface JobResult {
  readonly kind: 'Complete' | 'Failed'
  readonly reason: string
  readonly message: string
}

/** What announces an end. */
const announcements = { Complete: 'SuccessCriteriaMet', Failed: 'FailureTarget' } as const

/** Whether the Job has ended for good. */
export function isFinished({ status }: Job): boolean {
  return isTrue(status?.conditions, 'Complete') || isTrue(status?.conditions, 'Failed')
}

/** The end that is announced, if one is: there is no way back from it. */
export function announcedEnding({ status }: Job): JobResult | undefined {
  for (const kind of ['Failed', 'Complete'] as const) {
    const found = findCondition(status?.conditions, announcements[kind])
    if (found?.status === 'True') return { kind, reason: found.reason ?? '', message: found.message ?? '' }
  }
  return undefined
}

/**
 * The conditions with the end announced, and said for good when it `isOver`. `now`: RFC 3339. Pure.
 */
export function withEnding(conditions: readonly JobCondition[], ending: JobResult, isOver: boolean, now: string): readonly JobCondition[] {
  const { kind, reason, message } = ending
  const announced = withCondition(conditions, { type: announcements[kind], status: 'True', reason, message }, now)
  return isOver ? withCondition(announced, { type: kind, status: 'True', reason, message }, now) : announced
}

/** Says whether the Job is suspended; a Job that never was says nothing. Pure. */
export function withSuspension(conditions: readonly JobCondition[], suspended: boolean, now: string): readonly JobCondition[] {
  const type = 'Suspended'
  if (suspended) return withCondition(conditions, { type, status: 'True', reason: 'JobSuspended', message: 'Job suspended' }, now)
  if (!isTrue(conditions, type)) return conditions
  return withCondition(conditions, { type, status: 'False', reason: 'JobResumed', message: 'Job resumed' }, now)
}

function withCondition(conditions: readonly JobCondition[], verdict: JobCondition, now: string): readonly JobCondition[] {
  const old = findCondition(conditions, verdict.type)
  if (old?.status === verdict.status) return conditions
  const next = { ...verdict, lastProbeTime: now, lastTransitionTime: now }
  return [...conditions.filter(({ type }) => type !== verdict.type), next]
}
